/**
 * Reconciles the roles and bindings of objects' rights: reverts changes by others, and removes those of
 * deleted objects, those of older releases, and other bindings of these roles. Behind an API server that lets
 * every user reach this one it also writes them, and removes the roles by which owners and members would
 * bypass this one.
 */
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import type { KubeObject } from '../../../api/resource.js';
import type { RolesFor } from '../../management/access/accessroles.js';
import { RBAC_GROUP, accessRoles, roleKinds } from '../../management/access/accessroles.js';
import { objectOfRole } from '../../management/access/managednames.js';
import { hasAccess, rightsOf } from '../../management/access/rights.js';
import type { CachedObject, Client, Controller, ControllerContext, ResourceClient } from '../interface.js';
import { resourceOf, resourceNamed } from '../interface.js';
import type { OrphanOwner } from '../orphanedroles.js';
import {
  ORPHAN_MS,
  IN_FLIGHT_MS,
  bindsObjectRights,
  removeOrphan,
  orphanIn,
  orphanKey,
} from '../orphanedroles.js';
import { followHostGrant } from './hostgrant.js';
import { ownerIn } from './roleowner.js';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { Role } from '../../../api/rbac.authorization.k8s.io/v1/role.js';

/** Roles that the server writes with an object have no managed fields; those of others have. */
const FOREIGN = Buffer.from('"managedFields"');
/** The key of a full reconciliation. */
const EVERYTHING = 'everything';

type Kinds = ReadonlyMap<string, ResourceClient>;

/** How roles are reconciled. */
interface Keeping {
  readonly kinds: Kinds;
  /** Whether another API server has the roles. */
  readonly isForeign: boolean;
  /** The rights that become roles, as far as roles of others may be removed. */
  readonly rolesFor: () => RolesFor;
  /** Whether this controller writes the roles, instead of the commit of their object. */
  readonly writes: () => boolean;
}

export const accessRulesController: Controller = {
  name: 'access-rules-controller',
  user: 'access-rules-controller',
  workers: 4,
  start(context) {
    const { client, enqueue } = context;
    const namespaces = resourceOf(client, Namespace);
    const keeping = keepingOf(context);
    const { kinds, rolesFor } = keeping;
    for (const resource of kinds.values()) followObjects(context, resource, keeping);
    for (const roles of roleClients(client)) followRoles(context, roles, keeping);
    return {
      async reconcile(key) {
        // Most roles need no change, so the controller yields between them.
        await nextTurn();
        if (key === EVERYTHING) return lookAtEverything(client, keeping, enqueue);
        const orphan = orphanIn(key);
        if (orphan !== undefined) return removeOrphan(client, (one) => ownerIn(kinds, one, rolesFor), orphan);
        const [plural = '', namespace = '', name = ''] = key.split('/');
        // The content of a namespace that is being deleted is deleted with it.
        if (namespaces.cached('', namespace)?.object().metadata.deletionTimestamp !== undefined) return;
        await kinds.get(plural)?.repair(namespace, name);
      },
    };
  },
};

const roleClients = (client: Client): ResourceClient[] =>
  [true, false].flatMap((namespaced) =>
    Object.values(roleKinds(namespaced)).map((plural) => resourceNamed(client, RBAC_GROUP, plural)),
  );

function keepingOf(context: ControllerContext): Keeping {
  const { client, enqueue } = context;
  const kinds = new Map(
    client.resources
      .filter(({ definition }) => hasAccess(definition))
      .map((resource) => [resource.definition.plural, resource]),
  );
  const isForeign = resourceOf(client, Role).foreign === true;
  if (!isForeign) return { kinds, isForeign, rolesFor: () => 'access', writes: () => false };
  const grant = followHostGrant(context, [...kinds.keys()], (afterMs) => enqueue(EVERYTHING, afterMs));
  const rolesFor = (): RolesFor => (grant.isSettled() ? 'namespacedAccess' : 'everybody');
  return { kinds, isForeign, rolesFor, writes: () => grant.isThere() };
}

/** Reconciles everything again after the wanted roles have changed. */
function lookAtEverything(client: Client, keeping: Keeping, enqueue: ControllerContext['enqueue']): void {
  const { kinds, rolesFor } = keeping;
  for (const resource of kinds.values())
    for (const object of resource.list('')) enqueue(keyOf(resource.definition.plural, object));
  for (const roles of roleClients(client))
    for (const role of roles.list('')) {
      const owner = ownerIn(kinds, role, rolesFor);
      const object = owner && objectOf(owner);
      if (owner === undefined || (object !== undefined && owner.wants(object))) continue;
      enqueue(orphanKey(roles, role), orphanedAfter(owner, role, keeping));
    }
}

const keyOf = (plural: string, { namespace, name }: Pick<CachedObject, 'namespace' | 'name'>): string =>
  `${plural}/${namespace}/${name}`;

const objectOf = (owner: OrphanOwner): KubeObject | undefined =>
  owner.resource.cached(owner.namespace, owner.name)?.object();

/**
 * Roles may have been changed, or be missing, since before this controller ran; at another API server also if
 * a server ended before it had removed or written them.
 */
function followObjects(context: ControllerContext, resource: ResourceClient, keeping: Keeping): void {
  const { definition } = resource;
  const { client, follow, enqueue } = context;
  const { isForeign, writes, rolesFor } = keeping;
  const rights = (of: CachedObject): string => JSON.stringify(rightsOf(definition, of.object()));
  const namesOf = (of: CachedObject, as: RolesFor): string[] =>
    accessRoles(definition, of.object(), as).map(({ name }) => name);
  const removeGone = (before: CachedObject, after: CachedObject | undefined): void => {
    const wanted = new Set(after && namesOf(after, rolesFor()));
    const gone = namesOf(before, 'everybody').filter((name) => !wanted.has(name));
    for (const plural of Object.values(roleKinds(definition.namespaced))) {
      const roles = resourceNamed(client, RBAC_GROUP, plural);
      for (const name of gone) {
        const role = roles.cached(before.namespace, name);
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
      if (!writes()) return enqueue(keyOf(definition.plural, object), IN_FLIGHT_MS);
      if (namesOf(object, 'namespacedAccess').length > 0) enqueue(keyOf(definition.plural, object));
      if (previous !== undefined) removeGone(previous, object);
    },
    deleted(object) {
      if (isForeign && writes()) removeGone(object, undefined);
    },
  });
}

/** Removes soon what no commit waits for, and what older releases wrote for an existing object. */
function orphanedAfter(
  owner: OrphanOwner | undefined,
  { name }: CachedObject,
  { isForeign, writes }: Keeping,
): number {
  if (!isForeign) return 0;
  const isOlder = objectOfRole(name)?.uid === undefined && owner && objectOf(owner) !== undefined;
  return isOlder === true || writes() ? IN_FLIGHT_MS : ORPHAN_MS;
}

function followRoles({ follow, enqueue }: ControllerContext, roles: ResourceClient, keeping: Keeping): void {
  const { kinds, isForeign, rolesFor } = keeping;
  /** The key of the object that wants the role. */
  const wanting = (role: CachedObject): string | undefined => {
    const owner = ownerIn(kinds, role, rolesFor);
    const object = owner && objectOf(owner);
    if (owner === undefined || object === undefined || !owner.wants(object)) return undefined;
    return keyOf(owner.resource.definition.plural, owner);
  };
  const repair = (key: string): void => enqueue(key, isForeign ? IN_FLIGHT_MS : 0);
  const look = (role: CachedObject): void => {
    const key = wanting(role);
    if (key !== undefined) return repair(key);
    const owner = ownerIn(kinds, role, rolesFor);
    if (owner !== undefined || bindsObjectRights(roles, role))
      enqueue(orphanKey(roles, role), orphanedAfter(owner, role, keeping));
  };
  follow(roles, {
    replaced() {
      for (const role of roles.list(''))
        if (isForeign || objectOfRole(role.name)?.uid === undefined) look(role);
    },
    changed(role, previous) {
      if (previous !== undefined || role.bytes.includes(FOREIGN)) look(role);
    },
    deleted(role) {
      const key = wanting(role);
      if (key !== undefined) repair(key);
    },
  });
}
