import { useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState, useMemo } from 'react';
import { readEntryCommand, unshareCommand } from '../../client/commands/actioncommands.js';
import { grantsOf } from '../../client/access.js';
import { command } from '../../client/commands/command.js';
import { onePath } from '../../client/one.js';
import { useMay } from '../../client/reviews.js';
import { SECRETS, secretForm, type SecretView } from '../../client/secrets.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { AccessSection } from './access.js';
import { EntriesSection } from './entries.js';
import { tableRows } from '../../client/forms.js';
import { sharedSelector } from '../../client/filled/filledsecrets.js';
import { pathOf, withQuery } from '../../client/paths.js';
import { LiveNote } from '../../ui/livestate.js';
import { Mirrors } from './mirrors.js';
import { UsedInClusters } from './usedinclusters.js';
import { lazyPart } from '../../shell/lazypart.js';

const ShareDialog = lazyPart(() => import('./share.js'), 'ShareDialog');

/** One secret, live. */
export function SecretPage() {
  const { namespace, name } = useParams({ from: '/secrets/$namespace/$name' });
  const state = useLive<SecretView>(onePath(SECRETS, namespace, name), 'secret', secretForm);
  const [secret] = state.items;
  return secret === undefined ? (
    <NotShown name={name} state={state} />
  ) : (
    <Shown secret={secret} state={state} />
  );
}

function Shown({ secret, state }: { readonly secret: SecretView; readonly state: LiveState<unknown> }) {
  const { secrets: texts } = useTexts();
  const navigate = useNavigate();
  const [sharing, setSharing] = useState(false);
  const { name = '', namespace = '', resourceVersion } = secret.metadata;
  const mayChange = useMay({ verb: 'patch', resource: SECRETS, namespace, name }, resourceVersion);
  return (
    <Page
      title={secret.displayName || name}
      actions={
        <>
          {mayChange && (
            <Button look="main" onPress={() => setSharing(true)}>
              {texts.share}
            </Button>
          )}
          <DeleteObject
            resource={SECRETS}
            metadata={secret.metadata}
            question={texts.deleteQuestion(name)}
            onDeleted={() => navigate({ to: '/secrets' })}
          />
        </>
      }
    >
      <ObjectHead resource={SECRETS} object={secret} state={state} />
      <EntriesSection secret={secret} mayChange={mayChange} />
      <AccessSection secret={secret} mayChange={mayChange} />
      <UsedBySection secret={secret} />
      <ObjectEnd
        metadata={secret.metadata}
        commands={[
          command('kubectl', 'get', 'sharedsecret', name, '--namespace', namespace, '--output', 'yaml'),
          command('platform', 'get', 'secret', name, '--namespace', namespace),
          ...entryCommands(secret),
          ...(mayChange ? revokeCommands(secret) : []),
        ]}
      />
      <Suspense fallback={null}>
        {sharing && <ShareDialog secret={secret} onClose={() => setSharing(false)} />}
      </Suspense>
    </Page>
  );
}

/** The maximum number of entries, and of grants, that have a command of their own. */
const MAX = 10;

const entryCommands = ({ metadata, entries }: SecretView): string[] =>
  entries.slice(0, MAX).map(({ name }) => readEntryCommand(metadata, name));

const revokeCommands = (secret: SecretView): string[] =>
  grantsOf(secret)
    .flatMap(({ kind, name, owner }) =>
      owner || (kind !== 'user' && kind !== 'team') ? [] : [unshareCommand(secret.metadata, kind, name)],
    )
    .slice(0, MAX);

/** The objects that use the data of a secret, as far as the user can see them. */
function UsedBySection({ secret: { metadata } }: { readonly secret: Pick<SecretView, 'metadata'> }) {
  const { secrets: texts } = useTexts();
  const { namespace = '', name = '' } = metadata;
  const path = useMemo(() => {
    const labelSelector = sharedSelector({ namespace, name });
    return labelSelector && withQuery(pathOf('projectsecrets'), { labelSelector });
  }, [namespace, name]);
  const state = useLive(path, 'table', tableRows);
  const mirrors = useMemo(() => state.items.map((row) => row.metadata), [state.items]);
  if (path === undefined) return null;
  // A user who may see no such object is refused the list.
  const refused = state.status === 'refused';
  return (
    <section aria-labelledby="used-by">
      <h2 id="used-by">{texts.usedBy}</h2>
      {!refused && <LiveNote state={state} isLine />}
      {state.items.length === 0 && (refused || state.status === 'live') && (
        <p className="hint">{texts.usedByNone}</p>
      )}
      <Mirrors rows={state.items} />
      <UsedInClusters key={`${namespace}/${name}`} source={metadata} mirrors={mirrors} />
    </section>
  );
}
