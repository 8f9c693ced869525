import { Suspense, useMemo, useState, useSyncExternalStore } from 'react';
import { attentionOf } from '../../client/attention.js';
import { PROJECTS } from '../../client/projects.js';
import { useMayKnown } from '../../client/reviews.js';
import { onSession, sessionState } from '../../session/session.js';
import type { Action } from '../../shell/actiondialog.js';
import { useActions } from '../../shell/usecommands.js';
import { useTexts } from '../../texts/texts.js';
import { Button } from '../../ui/button.js';
import { LiveNote } from '../../ui/livestate.js';
import { Page } from '../../ui/page.js';
import { useNow } from '../../ui/usenow.js';
import { AttentionSection } from './attentionlist.js';
import { hasSteps, NextSteps, type Offer } from './nextsteps.js';
import { useAlone } from './usealone.js';
import { useSeen, type AllSeen } from './useseen.js';
import { Link } from '@tanstack/react-router';
import { SECRETS } from '../../client/secrets.js';
import { KINDS, type Kind } from './kinds.js';
import type { ObjectMeta } from '../../../../api/resource.js';
import { newestRows } from '../../client/searchrows.js';
import { When } from '../../ui/when.js';
import { ObjectLink } from '../object/objectlink.js';
import { lazyPart } from '../../shell/lazypart.js';

const MAX_NEWEST = 8;

interface Made {
  readonly kind: Kind;
  readonly objects: readonly { readonly metadata: ObjectMeta }[];
}

/** The newest objects of all kinds. */
function Newest({ made }: { readonly made: readonly Made[] }) {
  const { home } = useTexts();
  const newest = useMemo(() => {
    const ofEach = made.flatMap(({ kind, objects }) =>
      newestRows(objects, MAX_NEWEST).map(({ metadata }) => ({ metadata, kind })),
    );
    return newestRows(ofEach, MAX_NEWEST);
  }, [made]);
  if (newest.length === 0) return <p className="hint">{home.noneMade}</p>;
  return (
    <ul className="plain">
      {newest.map(({ kind, metadata: { namespace = '', name = '', creationTimestamp = '' } }) => (
        <li key={`${kind}/${namespace}/${name}`} className="line">
          <ObjectLink resource={kind} namespace={namespace} name={name} />
          <span className="hint">
            {home.kinds[kind](1)} · <When at={Date.parse(creationTimestamp)} />
          </span>
        </li>
      ))}
    </ul>
  );
}

const ActionDialog = lazyPart(() => import('../../shell/actiondialog.js'), 'ActionDialog');

const CREATE_PROJECT = { verb: 'create', resource: PROJECTS, namespace: '', name: '' } as const;

/** What is done once in a while has its button in the next steps, and on its page. */
const isFrequent = ([, { is }]: Offer): boolean => is !== 'createProject' && is !== 'createUser';

/** What needs attention, counts of objects, the next steps, and the newest objects: all at once, so that nothing moves. */
export function HomePage() {
  const texts = useTexts();
  const { session } = useSyncExternalStore(onSession, sessionState);
  const user = session?.user ?? '';
  const seen = useSeen();
  const now = useNow();
  const offers = useActions();
  const [action, setAction] = useState<Action>();
  const mayCreateProject = useMayKnown(CREATE_PROJECT);
  const alone = useAlone(offers.some(([, { is }]) => is === 'createUser'));
  const attention = attentionOf(seen, now);
  const { secrets, keys, projects, clusters, spaces, virtualClusters, state, complete } = seen;
  const made = useMemo(() => madeOf(seen), [secrets, keys, projects, clusters, spaces, virtualClusters]);
  const missing = {
    createSecret: secrets.length === 0,
    createAccessKey: keys.length === 0,
    createProject: projects.length === 0,
    createUser: alone,
    connectCluster: clusters.length === 0,
    project: projects.length === 0 && mayCreateProject === false,
    space:
      spaces.length === 0 &&
      projects.some(({ owner, clusters: allowed }) => owner.user === user && allowed.length > 0),
  };
  return (
    <Page
      title={texts.home.title(user)}
      actions={offers.filter(isFrequent).map(([text, begins]) => (
        <Button key={begins.is} onPress={() => setAction(begins)}>
          {text}
        </Button>
      ))}
    >
      {state !== undefined && <LiveNote state={state} />}
      {complete && (
        <>
          <AttentionSection all={attention} />
          <Counts counts={countsOf(seen, user)} />
          <div className="cards filling">
            {hasSteps({ missing, offers }) && (
              <section className="card" aria-labelledby="next">
                <h2 id="next">{texts.home.next}</h2>
                <NextSteps user={user} missing={missing} offers={offers} onAction={setAction} />
              </section>
            )}
            <section className="card" aria-labelledby="recent">
              <h2 id="recent">{texts.home.recent}</h2>
              <Newest made={made} />
            </section>
          </div>
        </>
      )}
      <Suspense fallback={null}>
        {action !== undefined && <ActionDialog action={action} onClose={() => setAction(undefined)} />}
      </Suspense>
    </Page>
  );
}

const madeOf = ({ secrets, keys, projects, spaces, virtualClusters, clusters }: AllSeen): readonly Made[] => [
  { kind: 'sharedsecrets', objects: secrets.filter(({ resource }) => resource === SECRETS) },
  { kind: 'projectsecrets', objects: secrets.filter(({ resource }) => resource !== SECRETS) },
  { kind: 'ownedaccesskeys', objects: keys },
  { kind: 'projects', objects: projects },
  { kind: 'spaceinstances', objects: spaces },
  { kind: 'virtualclusterinstances', objects: virtualClusters },
  { kind: 'clusters', objects: clusters },
];

/** Clusters are counted only if the user can see one. */
function countsOf(
  { secrets, keys, projects, spaces, virtualClusters, clusters }: AllSeen,
  user: string,
): readonly Count[] {
  const owned = ({ owner }: { readonly owner: { readonly user?: string } }): boolean => owner.user === user;
  const of = <Item,>(kind: Count['kind'], items: readonly Item[], isOwn: (item: Item) => boolean): Count => ({
    kind,
    all: items.length,
    own: items.filter(isOwn).length,
  });
  return [
    of('sharedsecrets', secrets, ({ cells }) => cells.Owner === user),
    of('ownedaccesskeys', keys, ({ owner }) => owner === user),
    of('projects', projects, owned),
    of('spaceinstances', spaces, owned),
    of('virtualclusterinstances', virtualClusters, owned),
    ...(clusters.length === 0 ? [] : [of('clusters', clusters, ({ owner }) => owner === user)]),
  ];
}

interface Count {
  readonly kind: Kind;
  readonly all: number;
  /** The number of objects that the user owns. */
  readonly own: number;
}

/** The numbers of objects of each kind that the user can see, and owns. */
function Counts({ counts }: { readonly counts: readonly Count[] }) {
  const { home } = useTexts();
  return (
    <ul className="counts">
      {counts.map(({ kind, all, own }) => (
        <li key={kind}>
          <Link to={KINDS[kind]}>
            <b>{all}</b> <span>{home.kinds[kind](all)}</span>
            <span className="hint">{own > 0 ? home.yours(own) : ''}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
