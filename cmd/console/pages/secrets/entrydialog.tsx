import { useState, useEffect, useRef } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { setEntryCommand } from '../../client/commands/actioncommands.js';
import { setEntry, entryNow, type SecretView, type EntryNow } from '../../client/secrets.js';
import { causesOf } from '../../client/status.js';
import { encoded, generated } from '../../client/values.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/formdialog.js';
import { TextField } from '../../ui/fields/textfield.js';
import { undoably } from '../../ui/undostore.js';
import type { ObjectMeta } from '../../../../api/resource.js';

export interface Props {
  readonly secret: SecretView;
  /** The name of the entry; empty: a new entry. */
  readonly entry: string;
  readonly onClose: () => void;
}

/** A text, or a file instead of it. */
interface Content {
  readonly value: string;
  readonly file?: File | undefined;
}

/** Sets a value, which is typed, generated without being shown, or read from a file. */
export function EntryDialog({ secret, entry, onClose }: Props) {
  const texts = useTexts();
  const [name, setName] = useState(entry);
  const [{ value, file }, setContent] = useState<Content>({ value: '' });
  const { guarded, replaces } = useGuard(secret.metadata, entry);
  const save = async (): Promise<void> => {
    const bytes = file === undefined ? encoded(value) : new Uint8Array(await file.arrayBuffer());
    await undoably(texts.undo.set(name), setEntry(await guarded(name), name, bytes));
  };
  return (
    <FormDialog
      title={entry === '' ? texts.secrets.addEntry : texts.secrets.setEntry(entry)}
      action={replaces ? texts.conflict.replace : texts.actions.save}
      disabled={name === '' || (value === '' && file === undefined)}
      shown={entry === '' ? ['spec.data'] : []}
      commands={[setEntryCommand(secret.metadata, name)]}
      onClose={onClose}
      onSubmit={save}
    >
      {(error) => (
        <>
          {entry === '' && (
            <TextField
              label={texts.secrets.entryName}
              value={name}
              onChange={setName}
              errors={causesOf(error, 'spec.data')}
              autoFocus={true}
              required={true}
              mono={true}
            />
          )}
          <ValueFields value={value} file={file} autoFocus={entry !== ''} onChange={setContent} />
        </>
      )}
    </FormDialog>
  );
}

function ValueFields({
  value,
  file,
  autoFocus,
  onChange,
}: {
  readonly value: string;
  readonly file: File | undefined;
  readonly autoFocus: boolean;
  readonly onChange: (content: Content) => void;
}) {
  const texts = useTexts();
  return (
    <>
      <TextField
        label={texts.secrets.value}
        type="password"
        value={value}
        onChange={(text) => onChange({ value: text })}
        autoFocus={autoFocus}
        mono
      />
      <div className="bar">
        <Button onPress={() => onChange({ value: generated() })}>{texts.secrets.generate}</Button>
        <FileTrigger onSelect={(files) => onChange({ value: '', file: files?.[0] })}>
          <Button>{texts.secrets.upload}</Button>
        </FileTrigger>
        <span className="hint" role="status">
          {file?.name}
        </span>
      </div>
    </>
  );
}

interface Guard {
  /** Returns the current entry. Rejects, once, if somebody else has changed the entry since the user saw it. */
  readonly guarded: (name: string) => Promise<EntryNow>;
  /** Whether the next write replaces a value that somebody else has set. */
  readonly replaces: boolean;
}

/** Prevents that a value replaces another one that the user has not seen. `entry` is empty for a new entry. */
function useGuard(metadata: ObjectMeta, entry: string): Guard {
  const texts = useTexts();
  const [replaces, setReplaces] = useState(false);
  const known = useRef<{ readonly name: string; readonly now: Promise<EntryNow> }>(undefined);
  useEffect(() => {
    if (entry === '') return;
    const now = entryNow(metadata, entry);
    now.catch(() => (known.current = undefined));
    known.current = { name: entry, now };
  }, []);
  const guarded = async (name: string): Promise<EntryNow> => {
    const now = await entryNow(metadata, name);
    const before = known.current?.name === name ? await known.current.now : undefined;
    if (now.print === before?.print) return now;
    known.current = { name, now: Promise.resolve(now) };
    setReplaces(now.print !== undefined);
    const size = ({ print, bytes }: EntryNow): string =>
      print === undefined ? texts.conflict.absent : texts.secrets.size(bytes);
    throw new Error(
      before === undefined
        ? texts.conflict.entryThere(size(now))
        : texts.conflict.entry(size(before), size(now)),
    );
  };
  return { guarded, replaces };
}
