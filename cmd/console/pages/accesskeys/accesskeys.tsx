import { lazy, Suspense, useMemo, useState, useSyncExternalStore } from 'react';
import type { AccessKeyView } from '../../client/accesskeys.js';
import { ACCESS_KEYS, accessKeyForm, setDisabled } from '../../client/accesskeys.js';
import { deleteKeyCommand } from '../../client/actioncommands.js';
import { deleteObject } from '../../client/one.js';
import { pathOf } from '../../client/paths.js';
import { useMay } from '../../client/reviews.js';
import { useLive } from '../../live/uselive.js';
import { onSession, sessionState } from '../../session/session.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { Commands } from '../../ui/commands.js';
import { Confirm } from '../../ui/confirm.js';
import { Fault } from '../../ui/fault.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { KeyCard } from './keycard.js';

const CreateAccessKey = lazy(async () => ({
  default: (await import('./createaccesskey.js')).CreateAccessKey,
}));

/** The keys that the person may see, each with what it may do in a sentence. */
export function AccessKeysPage() {
  const texts = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const state = useLive<AccessKeyView>(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const mayCreate = useMay({ verb: 'create', resource: ACCESS_KEYS, namespace: '', name: '' });
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
      onSwitch={() => {
        setError(undefined);
        setDisabled(key, !key.disabled).catch(setError);
      }}
    />
  );
  return (
    <Page
      title={texts.keys.title}
      actions={
        mayCreate && (
          <Button look="main" onPress={() => setCreating(true)}>
            {texts.keys.create}
          </Button>
        )
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
      <Suspense fallback={null}>
        {creating && <CreateAccessKey onClose={() => setCreating(false)} />}
      </Suspense>
      {deleted !== undefined && (
        <DeleteKey metadata={deleted.metadata} own={own(deleted)} onClose={() => setDeleted(undefined)} />
      )}
    </Page>
  );
}

interface DeleteProps extends Pick<AccessKeyView, 'metadata'> {
  /** Whether this browser's session stands for it. */
  readonly own: boolean;
  readonly onClose: () => void;
}

function DeleteKey({ metadata, own, onClose }: DeleteProps) {
  const { keys: texts, actions } = useTexts();
  const { name = '' } = metadata;
  return (
    <Confirm
      title={texts.deleteOf(name)}
      question={`${texts.deleteQuestion(name)} ${own ? texts.deleteOwn : ''}`}
      action={actions.delete}
      commands={[deleteKeyCommand(name)]}
      onClose={onClose}
      onConfirm={() => deleteObject(ACCESS_KEYS, metadata)}
    />
  );
}
