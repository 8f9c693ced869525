import { Suspense, useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react';
import {
  ACCESS_KEYS,
  accessKeyForm,
  searchKeys,
  setDisabled,
  type AccessKeyView,
} from '../../client/accesskeys.js';
import { deleteKeyCommand } from '../../client/commands/actioncommands.js';
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
import { useSearchText } from '../../ui/lists/usesearchtext.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { TextField } from '../../ui/fields/textfield.js';
import { KeyCard, type Props as CardProps } from './keycard.js';
import { lazyPart } from '../../shell/lazypart.js';

interface Props {
  readonly title: string;
  readonly keys: readonly AccessKeyView[];
  /** The properties of a card besides its key. */
  readonly cardOf: (key: AccessKeyView) => Omit<CardProps, 'shown'>;
}

/** The number of cards that are added at once; each card sends access reviews. */
const STEP = 24;

/** The first of the keys, with a button that shows more. */
function KeyList({ title, keys, cardOf }: Props) {
  const { keys: texts } = useTexts();
  const [most, setMost] = useState(STEP);
  if (keys.length === 0) return null;
  const more = Math.min(STEP, keys.length - most);
  return (
    <>
      <h2>{title}</h2>
      <ul className="keys">
        {keys.slice(0, most).map((key) => (
          <KeyCard key={key.metadata.uid} shown={key} {...cardOf(key)} />
        ))}
      </ul>
      {more > 0 && <Button onPress={() => setMost(most + STEP)}>{texts.more(more)}</Button>}
    </>
  );
}

const CreateAccessKey = lazyPart(() => import('./createaccesskey.js'), 'CreateAccessKey');

/** The access keys that the user can see, each with its rights in a sentence. */
export function AccessKeysPage() {
  const texts = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const state = useLive<AccessKeyView>(pathOf(ACCESS_KEYS), 'key', accessKeyForm);
  const mayCreate = useMay({ verb: 'create', resource: ACCESS_KEYS, namespace: '', name: '' });
  const [creating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<AccessKeyView>();
  const [error, setError] = useState<unknown>();
  const [query, setQuery] = useSearchText();
  const wanted = useDeferredValue(query);
  const found = useMemo(() => searchKeys(state.items, wanted), [state.items, wanted]);
  const own = (key: AccessKeyView | undefined): boolean => key?.metadata.name === session?.accessKey;
  const cardOf = (key: AccessKeyView) => ({
    own: own(key),
    onDelete: () => setDeleted(key),
    onSwitch: () => {
      setError(undefined);
      setDisabled(key, !key.disabled).catch(setError);
    },
  });
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
      <div className="bar">
        <TextField label={texts.keys.search} type="search" value={query} onChange={setQuery} />
        <p className="hint" role="status">
          {state.status !== 'loading' && texts.keys.count(found.length, state.items.length)}
        </p>
      </div>
      <LiveNote state={state} />
      <Fault error={error} />
      {found.length === 0 && state.status === 'live' && (
        <p className="empty">{query === '' ? texts.keys.none : texts.keys.noneFound}</p>
      )}
      <KeyList title={texts.keys.keys} keys={found.filter(({ type }) => type !== 'Login')} cardOf={cardOf} />
      <KeyList
        title={texts.keys.logins}
        keys={found.filter(({ type }) => type === 'Login')}
        cardOf={cardOf}
      />
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
  /** Whether it is the key of this browser's session. */
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
