import { useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState, useMemo } from 'react';
import {
  readEntryCommand,
  readSecretCommand,
  unshareCommand,
  type SecretPlace,
} from '../../client/commands/actioncommands.js';
import { grantsOf } from '../../client/access.js';
import { getCommand } from '../../client/commands/pagecommands.js';
import { PROJECTS } from '../../client/projects.js';
import { onePath } from '../../client/one.js';
import { useMay } from '../../client/reviews.js';
import {
  PROJECT_SECRETS,
  SECRETS,
  secretForm,
  type SecretResource,
  type SecretView,
} from '../../client/secrets.js';
import type { LiveState } from '../../live/livelist.js';
import { useLive } from '../../live/uselive.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { NotShown } from '../../ui/notshown.js';
import { Page } from '../../ui/page.js';
import { DeleteObject } from '../object/deleteobject.js';
import { ObjectEnd } from '../object/objectend.js';
import { ObjectHead } from '../object/objecthead.js';
import { ObjectLink } from '../object/objectlink.js';
import { AccessSection } from './access.js';
import { EntriesSection } from './entries.js';
import { tableRows } from '../../client/forms.js';
import { sharedSelector } from '../../client/filled/filledsecrets.js';
import { pathOf, withQuery } from '../../client/paths.js';
import { LiveNote } from '../../ui/livestate.js';
import { Conditions } from '../../ui/conditions.js';
import { Mirrors } from './mirrors.js';
import { UsedInClusters } from './usedinclusters.js';
import { useSecretPlace } from './usesecretplace.js';
import { lazyPart } from '../../shell/lazypart.js';

const ShareDialog = lazyPart(() => import('./share.js'), 'ShareDialog');

/** One shared secret, live. */
export function SecretPage() {
  const { namespace, name } = useParams({ from: '/secrets/$namespace/$name' });
  return <OneSecret resource={SECRETS} namespace={namespace} name={name} />;
}

/** One secret of a project, live. */
export function ProjectSecretPage() {
  const { namespace, name } = useParams({ from: '/projectsecrets/$namespace/$name' });
  return <OneSecret resource={PROJECT_SECRETS} namespace={namespace} name={name} />;
}

interface Place {
  readonly resource: SecretResource;
  readonly namespace: string;
  readonly name: string;
}

function OneSecret({ resource, namespace, name }: Place) {
  const state = useLive<SecretView>(onePath(resource, namespace, name), 'secret', secretForm(resource));
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
  const { resource, metadata } = secret;
  const { name = '', namespace = '', resourceVersion } = metadata;
  const place = useSecretPlace(secret);
  const mirrors = useMemo(() => [metadata], [metadata]);
  const isOfProject = resource === PROJECT_SECRETS;
  const mayChange = useMay({ verb: 'patch', resource, namespace, name }, resourceVersion);
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
            resource={resource}
            metadata={metadata}
            question={texts.deleteQuestion(name)}
            onDeleted={() => navigate({ to: '/secrets' })}
          />
        </>
      }
    >
      <ObjectHead resource={resource} object={secret} state={state} />
      <p>
        {isOfProject ? (
          <ObjectLink resource={PROJECTS} name={place.project ?? ''}>
            {texts.inProject(place.project ?? '')}
          </ObjectLink>
        ) : (
          texts.shared(namespace)
        )}
      </p>
      <EntriesSection secret={secret} mayChange={mayChange} />
      <AccessSection secret={secret} mayChange={mayChange} />
      {isOfProject ? (
        <section>
          <UsedInClusters key={`${namespace}/${name}`} source={undefined} mirrors={mirrors} />
        </section>
      ) : (
        <UsedBySection secret={secret} />
      )}
      <Conditions conditions={secret.conditions.filter(({ status }) => status !== 'True')} />
      <ObjectEnd
        resource={resource}
        metadata={metadata}
        commands={[
          getCommand(resource === SECRETS ? 'sharedsecret' : 'projectsecret', name, namespace),
          readSecretCommand(place),
          ...secret.entries.slice(0, MAX).map((entry) => readEntryCommand(place, entry.name)),
          ...(mayChange ? revokeCommands(secret, place) : []),
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

const revokeCommands = (secret: SecretView, place: SecretPlace): string[] =>
  grantsOf(secret)
    .flatMap(({ kind, name, owner }) =>
      owner || (kind !== 'user' && kind !== 'team') ? [] : [unshareCommand(place, kind, name)],
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
