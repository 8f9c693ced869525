import { useMemo, useState, useSyncExternalStore } from 'react';
import type { AccessKeyView } from '../../client/accesskeys.js';
import { ACCESS_KEYS, accessKeyForm, setDisabled } from '../../client/accesskeys.js';
import { deleteKeyCommand, switchKeyCommand } from '../../client/actioncommands.js';
import { deleteObject } from '../../client/one.js';
import { pathOf } from '../../client/paths.js';
import { scopeSentence } from '../../client/scopetext.js';
import { useLive } from '../../live/uselive.js';
import { onSession, sessionState } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { Confirm } from '../../ui/confirm.js';
import { Facts } from '../../ui/facts.js';
import { Fault } from '../../ui/fault.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { useNow } from '../../ui/usenow.js';
import { When } from '../../ui/when.js';
import { CreateAccessKey } from './createaccesskey.js';

/** The keys that the person may see, each with what it may do in a sentence. */
export function AccessKeysPage() {
  const texts = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const state = useLive<AccessKeyView>(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const [creating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<AccessKeyView>();
  const [error, setError] = useState<unknown>();
  const keys = useMemo(
    () =>
      [...state.items].sort((one, other) =>
        (other.metadata.creationTimestamp ?? '').localeCompare(one.metadata.creationTimestamp ?? ''),
      ),
    [state.items],
  );
  const own = (key: AccessKeyView | undefined): boolean => key?.metadata.name === session?.accessKey;
  const card = (key: AccessKeyView) => (
    <KeyCard
      key={key.metadata.uid}
      shown={key}
      own={own(key)}
      onDelete={() => setDeleted(key)}
      onSwitch={() => setDisabled(key, !key.disabled).catch(setError)}
    />
  );
  return (
    <Page
      title={texts.keys.title}
      actions={
        <Button look="main" onPress={() => setCreating(true)}>
          {texts.keys.create}
        </Button>
      }
    >
      <LiveNote state={state} />
      <Fault error={error} />
      <h2>{texts.keys.keys}</h2>
      {keys.length === 0 && state.status === 'live' && <p className="empty">{texts.keys.none}</p>}
      <ul className="keys">{keys.filter(({ type }) => type !== 'Login').map(card)}</ul>
      <h2>{texts.keys.logins}</h2>
      <ul className="keys">{keys.filter(({ type }) => type === 'Login').map(card)}</ul>
      <Commands lines={['kubectl get ownedaccesskeys', 'platform list accesskey']} />
      {creating && <CreateAccessKey onClose={() => setCreating(false)} />}
      {deleted !== undefined && (
        <Confirm
          title={texts.keys.deleteOf(deleted.metadata.name ?? '')}
          question={`${texts.keys.deleteQuestion(deleted.metadata.name ?? '')} ${own(deleted) ? texts.keys.deleteOwn : ''}`}
          action={texts.actions.delete}
          commands={[deleteKeyCommand(deleted.metadata.name ?? '')]}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => deleteObject(ACCESS_KEYS, deleted.metadata)}
        />
      )}
    </Page>
  );
}

interface CardProps {
  readonly shown: AccessKeyView;
  /** Whether this browser's session stands for it. */
  readonly own: boolean;
  readonly onDelete: () => void;
  readonly onSwitch: () => void;
}

function KeyCard({ shown, own, onDelete, onSwitch }: CardProps) {
  const texts = useTexts();
  const now = useNow();
  const { disabled, expires, lastActivity, owner, type, displayName, scope } = shown;
  const name = shown.metadata.name ?? '';
  const ended = expires !== undefined && expires <= now;
  const state = ended ? 'ended' : disabled ? 'disabled' : 'enabled';
  const { columns } = texts.keys;
  return (
    <li className="card">
      <div className="section-head">
        <h3>{displayName || name}</h3>
        <span>
          {own && <span className="badge">{texts.keys.thisBrowser}</span>}
          <span className={`badge ${state}`}>{texts.keys[state]}</span>
        </span>
      </div>
      <p className="sentence">{scopeSentence(scope, texts.scope)}</p>
      <Facts
        facts={[
          [columns.name, name],
          [columns.owner, owner],
          [columns.type, type],
          [columns.expires, expires === undefined ? texts.keys.noEnd : <When key="at" at={expires} />],
          [
            columns.used,
            lastActivity === undefined ? texts.keys.never : <When key="at" at={Date.parse(lastActivity)} />,
          ],
        ]}
      />
      <div className="buttons start">
        <Button
          aria-label={disabled ? texts.keys.enableOf(name) : texts.keys.disableOf(name)}
          onPress={onSwitch}
        >
          {disabled ? texts.keys.enable : texts.keys.disable}
        </Button>
        <Button look="quiet" aria-label={texts.keys.deleteOf(name)} onPress={onDelete}>
          {texts.actions.delete}
        </Button>
      </div>
      <Commands lines={[switchKeyCommand(name, !disabled)]} />
    </li>
  );
}
