/**
 * The consequences of adopting a store that the cluster does not know, which are logged before they happen.
 */
import { SpaceInstance } from '../../../api/management.svc.example/v1/spaceinstance.js';
import { isKind, type KubeObject } from '../../../api/resource.js';
import { RBAC_GROUP } from '../sharing/accessroles.js';
import { MANAGED_BY } from '../sharing/managednames.js';
import { PROJECT_LABEL, projectNamespace, projectUidOf } from '../projects/names.js';
import type { Registry } from '../../registry/registry.js';
import type { Logger } from '../../server/logging/log.js';
import type { StoreRefused } from './refused.js';

const GROUP = 'management.svc.example';
/** The maximum of logged lines; the total is logged. */
const MAX = 1_000;

/** One object, and its fate. */
interface Consequence {
  readonly will: 'delete' | 'keep';
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly why: string;
}

/** Logs all consequences. `prefix`: of the namespaces of projects. */
export function listAdopted(log: Logger, registry: Registry, prefix: string, refusal: StoreRefused): void {
  log.warn({ reason: refusal.reason }, `--adopt-store: taken, although ${refusal.why}`);
  const all = [...consequences(registry, prefix)];
  for (const one of all.slice(0, MAX))
    log.warn(one, one.will === 'delete' ? 'adopted store: will be deleted' : 'adopted store: is kept');
  const deleted = all.filter(({ will }) => will === 'delete').length;
  log.warn(
    { deleted, kept: all.length - deleted },
    'adopted store: the list of what follows is complete; take --adopt-store away again',
  );
}

/**
 * Rights of objects that are not in the store are removed, and objects whose namespace is gone. Namespaces
 * are removed only for Projects that are being deleted in the store.
 */
function* consequences(
  { stores, hostStores }: Pick<Registry, 'stores' | 'hostStores'>,
  prefix: string,
): Generator<Consequence> {
  const ours = stores.filter(({ definition }) => definition.group === GROUP);
  const objects = ours.flatMap(({ cache }) =>
    Array.from(cache.latest().entries(''), (entry) => entry.object()),
  );
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const namespaces = new Set<string>();
  // These are recreated if they are missing.
  const projects = new Set(
    objects.flatMap(({ kind, metadata: { name = '' } }) =>
      kind === 'Project' ? [projectNamespace(prefix, name)] : [],
    ),
  );
  for (const { definition, cache } of hostStores)
    for (const entry of cache.latest().entries('')) {
      const object = entry.object();
      if (definition.plural === 'namespaces') {
        namespaces.add(entry.name);
        const adoption = ofNamespace(object, objects);
        if (adoption !== undefined) yield { ...adoption, ...placeOf('namespaces', object) };
      } else if (definition.group === RBAC_GROUP && isStray(object, uids))
        yield {
          will: 'delete',
          why: 'its object is not in the store',
          ...placeOf(definition.plural, object),
        };
    }
  yield* ofSpaces(objects);
  for (const { definition, cache } of ours.filter((one) => one.definition.namespaced))
    for (const entry of cache.latest().entries(''))
      if (!namespaces.has(entry.namespace) && !projects.has(entry.namespace))
        yield {
          will: 'delete',
          why: 'its namespace is not in the cluster',
          ...placeOf(definition.plural, entry.object()),
        };
}

/** The namespaces in clusters of spaces that are being deleted in the store. */
function* ofSpaces(objects: readonly KubeObject[]): Generator<Consequence> {
  for (const space of objects) {
    if (!isKind(SpaceInstance, space) || space.metadata.deletionTimestamp === undefined) continue;
    const { cluster = '', namespace: name = '' } = space.spec?.clusterRef ?? {};
    const why = `its SpaceInstance ${space.metadata.namespace}/${space.metadata.name} is being deleted`;
    if (name !== '')
      yield { will: 'delete', resource: `namespaces of cluster ${cluster}`, namespace: '', name, why };
  }
}

const placeOf = (
  resource: string,
  { metadata: { namespace = '', name = '' } }: KubeObject,
): Pick<Consequence, 'resource' | 'namespace' | 'name'> => ({ resource, namespace, name });

function ofNamespace(
  namespace: KubeObject,
  objects: readonly KubeObject[],
): Pick<Consequence, 'will' | 'why'> | undefined {
  const project = namespace.metadata.labels?.[PROJECT_LABEL];
  if (project === undefined) return undefined;
  const found = objects.find(({ kind, metadata }) => kind === 'Project' && metadata.name === project);
  if (found === undefined) return { will: 'keep', why: `the store has no Project ${project}` };
  if (found.metadata.uid !== projectUidOf(namespace))
    return { will: 'keep', why: `it was made for another Project ${project}` };
  if (found.metadata.deletionTimestamp === undefined) return undefined;
  return { will: 'delete', why: `its Project ${project} is being deleted` };
}

function isStray({ metadata }: KubeObject, uids: ReadonlySet<string | undefined>): boolean {
  if (metadata.labels?.[MANAGED_BY.label] !== MANAGED_BY.value) return false;
  const owners = (metadata.ownerReferences ?? []).filter(({ apiVersion }) =>
    apiVersion.startsWith(`${GROUP}/`),
  );
  return owners.every(({ uid }) => !uids.has(uid));
}
