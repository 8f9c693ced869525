import { useState, useEffect, useRef } from 'react';
import { isEntryName } from '../../client/names.js';
import { setEntryCommand } from '../../client/commands/actioncommands.js';
import { setEntry, entryNow, type EntryNow, type SecretRef, type SecretView } from '../../client/secrets.js';
import { causesOf } from '../../client/status.js';
import { useTexts } from '../../texts/texts.js';
import { FormDialog } from '../../ui/formdialog.js';
import { TextField } from '../../ui/fields/textfield.js';
import { undoably } from '../../ui/undostore.js';
import { useSecretPlace } from './usesecretplace.js';
import { bytesIn, isEmpty, NO_CONTENT, ValueFields } from './valuefields.js';

export interface Props {
  readonly secret: SecretView;
  /** The name of the entry; empty: a new entry. */
  readonly entry: string;
  readonly onClose: () => void;
}

/** Sets a value, which is typed, generated without being shown, or read from a file. */
export function EntryDialog({ secret, entry, onClose }: Props) {
  const texts = useTexts();
  const [name, setName] = useState(entry);
  const [content, setContent] = useState(NO_CONTENT);
  const { guarded, replaces } = useGuard(secret, entry);
  const place = useSecretPlace(secret);
  const save = async (): Promise<void> => {
    const bytes = await bytesIn(content);
    await undoably(texts.undo.set(name), setEntry(await guarded(name), name, bytes));
  };
  return (
    <FormDialog
      title={entry === '' ? texts.secrets.addEntry : texts.secrets.setEntry(entry)}
      action={replaces ? texts.conflict.replace : texts.actions.save}
      disabled={name === '' || !isEntryName(name) || isEmpty(content)}
      shown={entry === '' ? ['spec.data'] : []}
      commands={[setEntryCommand(place, name)]}
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
              errors={isEntryName(name) ? causesOf(error, 'spec.data') : [texts.secrets.entrySigns]}
              autoFocus={true}
              required={true}
              mono={true}
            />
          )}
          <ValueFields content={content} autoFocus={entry !== ''} onChange={setContent} />
        </>
      )}
    </FormDialog>
  );
}

interface Guard {
  /** Returns the current entry. Rejects, once, if somebody else has changed the entry since the user saw it. */
  readonly guarded: (name: string) => Promise<EntryNow>;
  /** Whether the next write replaces a value that somebody else has set. */
  readonly replaces: boolean;
}

/** Prevents that a value replaces another one that the user has not seen. `entry` is empty for a new entry. */
function useGuard(secret: SecretRef, entry: string): Guard {
  const texts = useTexts();
  const [replaces, setReplaces] = useState(false);
  const known = useRef<{ readonly name: string; readonly now: Promise<EntryNow> }>(undefined);
  useEffect(() => {
    if (entry === '') return;
    const now = entryNow(secret, entry);
    now.catch(() => (known.current = undefined));
    known.current = { name: entry, now };
  }, []);
  const guarded = async (name: string): Promise<EntryNow> => {
    const now = await entryNow(secret, name);
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
