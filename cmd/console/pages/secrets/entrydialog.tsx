import { useState } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { setEntryCommand } from '../../client/commands/actioncommands.js';
import { setEntry, type SecretView } from '../../client/secrets.js';
import { causesOf } from '../../client/status.js';
import { encoded, generated } from '../../client/values.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/formdialog.js';
import { TextField } from '../../ui/fields/textfield.js';
import { undoably } from '../../ui/undostore.js';
import { useGuard } from './useguard.js';

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
