/** Creates the namespaces of spaces in connected clusters, gives members their rights there, and removes them with the spaces. */
import { clusterScoped } from '../../../../api/resource.js';
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { SpaceInstance } from '../../../../api/management.svc.example/v1/spaceinstance.js';
import { StatusError } from '../../../apimachinery/errors.js';
import { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import {
  IMPORTED_ANNOTATION,
  MOVED_FROM_ANNOTATION,
  projectNamespace,
  projectOfNamespace,
  SPACE_FINALIZER,
} from '../../projects/names.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import {
  resourceOf,
  type ResourceClient,
  type CachedObject,
  type ControllerContext,
} from '../../../controllers/interface.js';
import type { ManagementController, ManagementContext } from '../../controllercontext.js';
import { targetOf, uidOf } from '../../../controllers/target.js';
import { delayOf } from '../changedelay.js';
import { chosenNamespace } from '../clusterref.js';
import { NO_CLUSTER, NO_PROVISIONER, noSuchCluster, unusableCluster } from '../noprovisioner.js';
import { keepHostNamespace, removeHostNamespace, spaceLabels } from './hostnamespace.js';
import { bindMembers, notOurs, spaceMembers } from './members.js';
import { READY, UNREACHABLE, pending, unreachable, withState, type SpaceState } from './state.js';
import type { Connection } from '../../clusters/client/interface.js';
import { ClusterIndex } from '../../clusters/clusterindex.js';
import { followClusters } from '../../clusters/followclusters.js';

/** When a space is checked again: while its namespace ends, its cluster is away, or its cluster refuses rights of members. */
const AGAIN_MS = { soon: 500, later: 10_000, rarely: 300_000 };

export const spaceProvisionerController: ManagementController<'clusters' | 'projectNamespacePrefix'> = {
  name: 'space-provisioner-controller',
  user: 'space-provisioner',
  workers: 8,
  clusterWorkers: 8,
  start(context) {
    const spaces = resourceOf(context.client, SpaceInstance);
    const index = followSpaces(context, spaces);
    const others = (cluster: string): readonly SpaceInstance[] =>
      index.keysOf(cluster).flatMap((key) => cachedSpace(spaces, key) ?? []);
    return {
      clusterOf: (key) => index.clusterOf(key),
      async reconcile(key) {
        const space = cachedSpace(spaces, key);
        if (space === undefined) return;
        const ends = space.metadata.deletionTimestamp !== undefined;
        const state = ends
          ? await end(context, spaces, space, others)
          : await provide(context, spaces, space);
        if (state === undefined) return;
        if (state.again !== undefined) context.enqueue(key, AGAIN_MS[state.again]);
        await ignoring(
          [404],
          spaces.update(targetOf(space, 'status'), (copy) => withState(copy, state)),
        );
      },
    };
  },
};

function cachedSpace(spaces: ResourceClient<SpaceInstance>, key: string): SpaceInstance | undefined {
  const [namespace = '', name = ''] = key.split('/');
  return spaces.cached({ namespace, name })?.object();
}

/** Undefined if the write causes the next check. */
async function provide(
  context: ManagementContext<'clusters' | 'projectNamespacePrefix'>,
  spaces: ResourceClient<SpaceInstance>,
  space: SpaceInstance,
): Promise<SpaceState | undefined> {
  const { cluster = '', namespace = '' } = space.spec?.clusterRef ?? {};
  if (cluster === '' || namespace === '') return pending(NO_PROVISIONER, NO_CLUSTER);
  const clusters = resourceOf(context.client, Cluster);
  const found = clusters.cached(clusterScoped(cluster))?.object();
  if (found === undefined) return pending(NO_PROVISIONER, noSuchCluster(cluster));
  const isThere = (space.metadata.finalizers ?? []).includes(SPACE_FINALIZER);
  if (found.spec?.unusable === true && !isThere) return pending(NO_PROVISIONER, unusableCluster(cluster));
  const state = await asking(cluster, async () => {
    // Before the finalizer: without a connection nothing was created, and nothing must be removed.
    const connection = await context.clusters.connect(cluster);
    if (!isThere) return undefined;
    const labels = spaceLabels(space, context.projectNamespacePrefix);
    const { metadata } = space;
    // No user can say of a space that it was moved, or that the server chose its namespace.
    const isMoved = metadata.annotations?.[MOVED_FROM_ANNOTATION] !== undefined;
    const adopts = isMoved || namespace === chosenNamespace(metadata);
    const outcome = await keepHostNamespace(connection, namespace, { labels, uid: uidOf(space), adopts });
    if (outcome.is === 'done') return withMembers(context, space, connection, outcome.ours);
    if (outcome.is === 'terminating')
      return { ...pending('NamespaceTerminating', `namespace ${namespace} is being deleted`), again: 'soon' };
    return unreachable(`cluster ${cluster} answers ${outcome.status}`);
  });
  if (state === undefined)
    await setFinalizers(spaces, space, (finalizers) => [...finalizers, SPACE_FINALIZER]);
  return state;
}

/** Ready, with what the members may do there. */
async function withMembers(
  { client, projectNamespacePrefix }: ManagementContext<'projectNamespacePrefix'>,
  { metadata, spec }: SpaceInstance,
  connection: Connection,
  ours: boolean,
): Promise<SpaceState> {
  const { namespace = '' } = spec?.clusterRef ?? {};
  if (connection.isLocal === true) return READY;
  if (!ours) return { ...READY, members: notOurs(namespace) };
  const name = projectOfNamespace(projectNamespacePrefix, metadata.namespace ?? '') ?? '';
  const project = resourceOf(client, Project).cached(clusterScoped(name))?.object();
  if (project === undefined) return READY;
  const rules = Array.from(resourceOf(client, GroupRule).list(''), (rule) => rule.object());
  const members = await bindMembers(connection, namespace, spaceMembers(project, rules));
  return { ...READY, members, ...(members.status === 'False' && { again: 'rarely' }) };
}

/** Undefined when nothing is left to do. `inCluster`: the spaces of a cluster. */
async function end(
  context: ManagementContext<'clusters'>,
  spaces: ResourceClient<SpaceInstance>,
  space: SpaceInstance,
  inCluster: (cluster: string) => readonly SpaceInstance[],
): Promise<SpaceState | undefined> {
  if (!(space.metadata.finalizers ?? []).includes(SPACE_FINALIZER)) return undefined;
  const { cluster = '', namespace = '' } = space.spec?.clusterRef ?? {};
  const clusters = resourceOf(context.client, Cluster);
  const keeps =
    space.metadata.annotations?.[IMPORTED_ANNOTATION] === 'true' ||
    clusters.cached(clusterScoped(cluster)) === undefined ||
    inCluster(cluster).some((other) => isSharedBy(other, space));
  const state = keeps
    ? READY
    : await asking(cluster, async () => {
        const connection = await context.clusters.connect(cluster);
        if (!(await isBeingDeleted(spaces, space))) return undefined;
        const outcome = await removeHostNamespace(connection, namespace, uidOf(space));
        if (outcome.is === 'done') return READY;
        if (outcome.is === 'refused') return unreachable(`cluster ${cluster} answers ${outcome.status}`);
        return { ...pending('Deleting', `namespace ${namespace} is being emptied`), again: 'soon' };
      });
  if (state === undefined) return undefined;
  if (state !== READY) return terminating(state, cluster);
  await setFinalizers(spaces, space, (finalizers) => finalizers.filter((one) => one !== SPACE_FINALIZER));
  return undefined;
}

/** Reads the store, not the cache: a space missing from the cache causes nothing. */
async function isBeingDeleted(
  spaces: ResourceClient<SpaceInstance>,
  { metadata }: SpaceInstance,
): Promise<boolean> {
  const live = await spaces.live({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
  return live?.metadata.uid === metadata.uid && live?.metadata.deletionTimestamp !== undefined;
}

/** Tells users of a cluster that does not answer how the deletion can be finished. */
function terminating(state: SpaceState, cluster: string): SpaceState {
  const way = `; deletion goes on when it answers, or when Cluster ${cluster} is deleted, which leaves the namespace there`;
  const message = state.reason === UNREACHABLE ? state.message + way : state.message;
  return { ...state, phase: 'Terminating', message };
}

/** Whether an import has given the same namespace to another space of its cluster. */
const isSharedBy = (other: SpaceInstance, { metadata, spec }: SpaceInstance): boolean =>
  other.metadata.uid !== metadata.uid && other.spec?.clusterRef?.namespace === spec?.clusterRef?.namespace;

/** Reports an unreachable cluster in the state instead of throwing. */
async function asking(
  cluster: string,
  ask: () => Promise<SpaceState | undefined>,
): Promise<SpaceState | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return unreachable(error.code === 504 ? error.message : `cluster ${cluster}: ${error.message}`);
  }
}

async function setFinalizers(
  spaces: ResourceClient<SpaceInstance>,
  space: SpaceInstance,
  change: (finalizers: readonly string[]) => string[],
): Promise<void> {
  await ignoring(
    [404],
    spaces.update(targetOf(space), (copy) => ({
      ...copy,
      metadata: { ...copy.metadata, finalizers: change(copy.metadata.finalizers ?? []) },
    })),
  );
}

/**
 * Enqueues `namespace/name` of each space that has changed, or whose cluster or members have. Returns these keys by cluster;
 * a deleted space is in none.
 */
function followSpaces(
  context: ManagementContext<'projectNamespacePrefix'>,
  spaces: ResourceClient<SpaceInstance>,
): Pick<ClusterIndex, 'clusterOf' | 'keysOf'> {
  const { follow, enqueue } = context;
  const index = new ClusterIndex();
  const look = (space: CachedObject<SpaceInstance>, afterMs = 0): void => {
    const key = `${space.namespace}/${space.name}`;
    index.set(key, space.object().spec?.clusterRef?.cluster ?? '');
    enqueue(key, afterMs);
  };
  follow(spaces, {
    replaced() {
      index.clear();
      for (const space of spaces.list('')) look(space);
    },
    changed: (space, previous) => look(space, delayOf(space.object(), previous?.object())),
    deleted: ({ namespace, name }) => index.set(`${namespace}/${name}`, ''),
  });
  followClusters(context, (cluster) => {
    for (const key of index.keysOf(cluster)) enqueue(key);
  });
  followMembers(context, (project) => {
    for (const { namespace, name } of spaces.list(projectNamespace(context.projectNamespacePrefix, project)))
      enqueue(`${namespace}/${name}`);
  });
  return index;
}

/** Calls `changed` with the name of a project whose owner, members or rules may have changed. */
function followMembers({ client, follow }: ControllerContext, changed: (project: string) => void): void {
  follow(resourceOf(client, Project), {
    replaced: () => undefined,
    changed(project, previous) {
      if (project.object().metadata.generation !== previous?.object().metadata.generation)
        changed(project.name);
    },
    deleted: () => undefined,
  });
  const ofRule = (rule: CachedObject<GroupRule>): void => {
    const { project = '' } = rule.object().spec;
    if (project !== '') changed(project);
  };
  follow(resourceOf(client, GroupRule), { replaced: () => undefined, changed: ofRule, deleted: ofRule });
}
