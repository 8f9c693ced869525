import { useState } from 'react';
import { readValue, removeEntry, SECRETS, type Entry, type SecretView } from '../../client/secrets.js';
import { removeEntryCommand } from '../../client/commands/actioncommands.js';
import { base64Of, textOf } from '../../client/values.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { CopyButton } from '../../ui/copybutton.js';
import { Fault } from '../../ui/fault.js';
import { undoably } from '../../ui/undostore.js';
import { ObjectLink } from '../object/objectlink.js';
import type { SectionProps } from './access.js';
import { EntryDialog } from './entrydialog.js';
import { useRevealed } from './userevealed.js';
import { useSecretPlace } from './usesecretplace.js';

/**
 * The entries of a secret. Values are fetched on demand: to show them for half a minute, or to copy them without
 * showing them.
 */
export function EntriesSection({ secret, mayChange }: SectionProps) {
  const texts = useTexts();
  const [edited, setEdited] = useState<string>();
  const [removed, setRemoved] = useState<string>();
  const place = useSecretPlace(secret);
  // The server replaces the entries of a copy.
  const changes = mayChange && secret.source === undefined;
  return (
    <section aria-labelledby="entries">
      <div className="section-head">
        <h2 id="entries">{texts.secrets.entries}</h2>
        {changes && <Button onPress={() => setEdited('')}>{texts.secrets.addEntry}</Button>}
      </div>
      {secret.source !== undefined && (
        <p className="hint">
          {texts.secrets.copyHint}{' '}
          <ObjectLink
            resource={SECRETS}
            {...secret.source}
          >{`${secret.source.namespace}/${secret.source.name}`}</ObjectLink>
        </p>
      )}
      {secret.entries.length === 0 && <p className="empty">{texts.secrets.noEntries}</p>}
      <ul className="entries">
        {secret.entries.map((entry) => (
          <EntryRow
            key={entry.name}
            secret={secret}
            entry={entry}
            mayChange={changes}
            onEdit={() => setEdited(entry.name)}
            onRemove={() => setRemoved(entry.name)}
          />
        ))}
      </ul>
      {edited !== undefined && (
        <EntryDialog secret={secret} entry={edited} onClose={() => setEdited(undefined)} />
      )}
      {removed !== undefined && (
        <Confirm
          title={texts.secrets.removeOf(removed)}
          question={texts.secrets.removeQuestion(removed)}
          action={texts.actions.remove}
          commands={[removeEntryCommand(place, removed)]}
          onClose={() => setRemoved(undefined)}
          onConfirm={() => undoably(texts.undo.removed(removed), removeEntry(secret, removed))}
        />
      )}
    </section>
  );
}

interface RowProps {
  readonly secret: SecretView;
  readonly entry: Entry;
  readonly mayChange: boolean;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function EntryRow({ secret, entry, mayChange, onEdit, onRemove }: RowProps) {
  const texts = useTexts();
  const { resourceVersion } = secret.metadata;
  const [error, setError] = useState<unknown>();
  const [binary, setBinary] = useState(false);
  const read = async (): Promise<string> => {
    setError(undefined);
    const bytes = await readValue(secret, entry.name);
    if (bytes === undefined) throw new Error(texts.state.notFound);
    const text = textOf(bytes);
    setBinary(text === undefined);
    return text ?? base64Of(bytes);
  };
  const { value, seconds, show, hide } = useRevealed(read, resourceVersion ?? '');
  return (
    <li className="entry">
      <div className="entry-name">
        <code>{entry.name}</code>
        <span className="hint">{texts.secrets.size(entry.bytes)}</span>
      </div>
      <div className="entry-actions">
        <CopyButton text={read} label={texts.secrets.copyOf(entry.name)} onError={setError} />
        <Button
          aria-expanded={value !== undefined}
          aria-label={value === undefined ? texts.secrets.revealOf(entry.name) : undefined}
          onPress={() => (value === undefined ? void show().catch(setError) : hide())}
        >
          {value === undefined ? texts.actions.reveal : texts.actions.hide}
        </Button>
        {mayChange && (
          <>
            <Button aria-label={texts.secrets.changeOf(entry.name)} onPress={onEdit}>
              {texts.secrets.change}
            </Button>
            <Button look="quiet" aria-label={texts.secrets.removeOf(entry.name)} onPress={onRemove}>
              {texts.actions.remove}
            </Button>
          </>
        )}
      </div>
      {value !== undefined && (
        <div className="entry-value">
          <pre tabIndex={0}>{value}</pre>
          <p className="hint">
            {binary && texts.secrets.binary} {texts.secrets.hidesIn(seconds)}
          </p>
        </div>
      )}
      <Fault error={error} />
    </li>
  );
}
