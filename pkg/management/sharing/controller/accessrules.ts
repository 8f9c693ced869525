/**
 * Reconciles the roles and bindings of objects' rights: reverts changes by others, and removes those that no object
 * wants. At another API server, where commits write none, it also writes and removes those of objects in namespaces as
 * their rights change.
 */
import { nextTurn } from '../../../apimachinery/eventloop/turns.js';
import { clusterScoped, type KubeObject } from '../../../../api/resource.js';
import { RBAC_GROUP, accessRoles, roleKinds } from '../accessroles.js';
import { hasAccess, rightsOf } from '../rights.js';
import {
  resourceOf,
  resourceNamed,
  type CachedObject,
  type Client,
  type Controller,
  type ControllerContext,
  type ResourceClient,
} from '../../../controllers/interface.js';
import {
  IN_FLIGHT_MS,
  removeOrphan,
  orphanIn,
  orphanKey,
  type OrphanOwner,
  type Orphan,
} from './orphanedroles.js';
import { Namespace } from '../../../../api/core/v1/namespace.js';
import { Role } from '../../../../api/rbac.authorization.k8s.io/v1/role.js';
import { objectOfRole } from '../managednames.js';

type Kinds = ReadonlyMap<string, ResourceClient>;

/** How roles are reconciled. */
interface Keeping {
  /** Kinds whose objects have roles, by their plurals. */
  readonly kinds: Kinds;
  /** Whether another API server has the roles. */
  readonly isForeign: boolean;
}

export const accessRulesController: Controller = {
  name: 'access-rules-controller',
  user: 'access-rules-controller',
  workers: 4,
  start(context) {
    const { client } = context;
    const namespaces = resourceOf(client, Namespace);
    const isForeign = resourceOf(client, Role).foreign === true;
    const kinds = kindsOf(client, isForeign);
    for (const resource of kinds.values()) followObjects(context, resource, isForeign);
    for (const roles of roleClients(client, isForeign)) followRoles(context, roles, { kinds, isForeign });
    return {
      async reconcile(key) {
        // Most roles need no change, so the controller yields between them.
        await nextTurn();
        const orphan = orphanIn(key);
        if (orphan !== undefined) return removeOrphan(client, (one) => ownerIn(kinds, one), orphan);
        const [plural = '', namespace = '', name = ''] = key.split('/');
        // The content of a namespace that is being deleted is deleted with it.
        if (namespaces.cached(clusterScoped(namespace))?.object().metadata.deletionTimestamp !== undefined)
          return;
        await kinds.get(plural)?.repair({ namespace, name });
      },
    };
  },
};

/** At another API server, only objects in namespaces have roles. */
const kindsOf = (client: Client, isForeign: boolean): Kinds =>
  new Map(
    client.resources
      .filter(({ definition }) => hasAccess(definition) && (definition.namespaced || !isForeign))
      .map((resource) => [resource.definition.plural, resource]),
  );

const roleClients = (client: Client, isForeign: boolean): ResourceClient[] =>
  (isForeign ? [true] : [true, false]).flatMap((namespaced) =>
    Object.values(roleKinds(namespaced)).map((plural) => resourceNamed(client, RBAC_GROUP, plural)),
  );

const keyOf = (plural: string, { namespace, name }: Pick<CachedObject, 'namespace' | 'name'>): string =>
  `${plural}/${namespace}/${name}`;

const objectOf = (owner: OrphanOwner): KubeObject | undefined => owner.resource.cached(owner)?.object();

/**
 * Roles may have been changed, or be missing, since before this controller ran; at another API server also if a
 * server ended before it had removed or written them.
 */
function followObjects(context: ControllerContext, resource: ResourceClient, isForeign: boolean): void {
  const { definition } = resource;
  const { client, follow, enqueue } = context;
  const rights = (of: CachedObject): string => JSON.stringify(rightsOf(definition, of.object()));
  const namesOf = (of: CachedObject): string[] =>
    accessRoles(definition, of.object()).map(({ name }) => name);
  const removeGone = (before: CachedObject, wanted: readonly string[]): void => {
    const gone = namesOf(before).filter((name) => !wanted.includes(name));
    for (const plural of Object.values(roleKinds(definition.namespaced))) {
      const roles = resourceNamed(client, RBAC_GROUP, plural);
      for (const name of gone) {
        const role = roles.cached({ namespace: before.namespace, name });
        if (role !== undefined) enqueue(orphanKey(roles, role));
      }
    }
  };
  follow(resource, {
    replaced() {
      for (const object of resource.list('')) enqueue(keyOf(definition.plural, object));
    },
    changed(object, previous) {
      if (!isForeign || (previous !== undefined && rights(object) === rights(previous))) return;
      const wanted = namesOf(object);
      if (wanted.length > 0) enqueue(keyOf(definition.plural, object));
      if (previous !== undefined) removeGone(previous, wanted);
    },
    deleted(object) {
      if (isForeign) removeGone(object, []);
    },
  });
}

function followRoles(
  { follow, enqueue }: ControllerContext,
  roles: ResourceClient,
  { kinds, isForeign }: Keeping,
): void {
  /** The caches of objects and of their roles at another API server do not change together. */
  const afterMs = isForeign ? IN_FLIGHT_MS : 0;
  /** The key of the object that wants the role. */
  const wanting = (role: CachedObject): string | undefined => {
    const owner = ownerIn(kinds, role);
    const object = owner && objectOf(owner);
    if (owner === undefined || object === undefined || !owner.wants(object)) return undefined;
    return keyOf(owner.resource.definition.plural, owner);
  };
  const look = (role: CachedObject): void => {
    const key = wanting(role);
    if (key !== undefined) return enqueue(key, afterMs);
    if (ownerIn(kinds, role) !== undefined) enqueue(orphanKey(roles, role), afterMs);
  };
  follow(roles, {
    replaced() {
      if (isForeign) for (const role of roles.list('')) look(role);
    },
    changed(role, previous) {
      // Only the server creates them in its own store, with their object.
      if (isForeign || previous !== undefined) look(role);
    },
    deleted(role) {
      const key = wanting(role);
      if (key !== undefined) enqueue(key, afterMs);
    },
  });
}

/**
 * Finds the object by the name of the role; undefined: it is not one of an object's rights. `kinds`: by their
 * plurals.
 */
export function ownerIn(
  kinds: ReadonlyMap<string, ResourceClient>,
  { namespace, name }: Pick<Orphan, 'namespace' | 'name'>,
): OrphanOwner | undefined {
  const object = objectOfRole(name);
  const resource = object && kinds.get(object.plural);
  if (object === undefined || resource?.definition.namespaced !== (namespace !== '')) return undefined;
  const { definition } = resource;
  return {
    resource,
    namespace,
    name: object.name,
    wants: (live) =>
      live.metadata.uid === object.uid && accessRoles(definition, live).some((one) => one.name === name),
  };
}
