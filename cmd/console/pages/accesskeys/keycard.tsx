import { ACCESS_KEYS, type AccessKeyView } from '../../client/accesskeys.js';
import { switchKeyCommand } from '../../client/commands/actioncommands.js';
import { useMay } from '../../client/reviews.js';
import { keySentence } from '../../client/scopetext.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { Facts } from '../../ui/facts.js';
import { useNow } from '../../ui/usenow.js';
import { When } from '../../ui/when.js';

export interface Props {
  readonly shown: AccessKeyView;
  /** Whether it is the key of this browser's session. */
  readonly own: boolean;
  readonly onDelete: () => void;
  readonly onSwitch: () => void;
}

/** One access key, and the actions that the user may do with it. */
export function KeyCard({ shown, own, onDelete, onSwitch }: Props) {
  const texts = useTexts();
  const now = useNow();
  const { disabled, expires, lastActivity, owner, type, displayName } = shown;
  const name = shown.metadata.name ?? '';
  const ended = expires !== undefined && expires <= now;
  const state = ended ? 'ended' : disabled ? 'disabled' : 'enabled';
  const { columns } = texts.keys;
  // Every use of a key changes its resourceVersion, but only a change of its owner or scope changes the generation. So
  // a use does not repeat the access reviews.
  const generation = String(shown.metadata.generation ?? '');
  const deed = { resource: ACCESS_KEYS, namespace: '', name };
  const maySwitch = useMay({ ...deed, verb: 'patch' }, generation);
  const mayDelete = useMay({ ...deed, verb: 'delete' }, generation);
  return (
    <li className="card">
      <div className="section-head">
        <h3>{displayName || name}</h3>
        <span>
          {own && <span className="badge">{texts.keys.thisBrowser}</span>}
          <span className={`badge ${state}`}>{texts.keys[state]}</span>
        </span>
      </div>
      <p className="sentence">{keySentence(shown, texts.scope)}</p>
      <Facts
        facts={[
          [columns.name, displayName ? name : ''],
          [columns.owner, owner],
          [columns.type, texts.keys.types[type] ?? type],
          [columns.expires, expires === undefined ? texts.keys.noEnd : <When key="at" at={expires} />],
          [
            columns.used,
            lastActivity === undefined ? texts.keys.never : <When key="at" at={Date.parse(lastActivity)} />,
          ],
        ]}
      />
      {(maySwitch || mayDelete) && (
        <div className="buttons start">
          {maySwitch && (
            <Button
              aria-label={disabled ? texts.keys.enableOf(name) : texts.keys.disableOf(name)}
              onPress={onSwitch}
            >
              {disabled ? texts.keys.enable : texts.keys.disable}
            </Button>
          )}
          {mayDelete && (
            <Button look="quiet" aria-label={texts.keys.deleteOf(name)} onPress={onDelete}>
              {texts.actions.delete}
            </Button>
          )}
        </div>
      )}
      {maySwitch && <Commands lines={[switchKeyCommand(name, !disabled)]} />}
    </li>
  );
}
