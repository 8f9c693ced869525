/** Undoes what others did to the roles and bindings of access rules; the rules' own writes go with their objects. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  RBAC_GROUP,
  accessOf,
  hasAccess,
  objectOfRole,
  ownerOf,
  roleKinds,
} from '../../apimachinery/access/accessroles.js';
import type { CachedObject, Loop, LoopContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';
import type { Stray, StrayOwner } from '../strays.js';
import { STRAY_MS, UNDER_WAY_MS, removeStray, strayIn, strayKey } from '../strays.js';

/** What the server makes with an object has no managed fields; what others make has. */
const FOREIGN = Buffer.from('"managedFields"');

export const accessRulesLoop: Loop = {
  name: 'access-rules-controller',
  user: 'access-rules-controller',
  workers: 4,
  start(context) {
    const namespaces = resourceOf(context.client, '', 'namespaces');
    const kinds = new Map(
      context.client.resources
        .filter(({ definition }) => hasAccess(definition))
        .map((resource) => [resource.definition.plural, resource]),
    );
    const isForeign = resourceOf(context.client, RBAC_GROUP, 'roles').foreign === true;
    for (const resource of kinds.values()) followObjects(context, resource, isForeign);
    for (const namespaced of [true, false])
      for (const plural of Object.values(roleKinds(namespaced)))
        followRoles(context, resourceOf(context.client, RBAC_GROUP, plural), kinds);
    return {
      async reconcile(key) {
        // Most are as they should be: others get their turn between them.
        await nextTurn();
        const stray = strayIn(key);
        if (stray !== undefined) return removeStray(context.client, (one) => ownerIn(kinds, one), stray);
        const [plural = '', namespace = '', name = ''] = key.split('/');
        // What is in a namespace that is being deleted goes.
        if (namespaces.cached('', namespace)?.object().metadata.deletionTimestamp !== undefined) return;
        await kinds.get(plural)?.repair(namespace, name);
      },
    };
  },
};

/** Of a role by its name; undefined where it is not one of access rules. */
export function ownerIn(
  kinds: ReadonlyMap<string, ResourceClient>,
  { namespace, name }: Pick<Stray, 'namespace' | 'name'>,
): StrayOwner | undefined {
  const object = objectOfRole(name);
  const resource = object && kinds.get(object.plural);
  if (object === undefined || resource?.definition.namespaced !== (namespace !== '')) return undefined;
  return { resource, namespace, name: object.name };
}

const keyOf = (plural: string, { namespace, name }: Pick<CachedObject, 'namespace' | 'name'>): string =>
  `${plural}/${namespace}/${name}`;

/**
 * Roles may have been changed, or be missing, from the time before this loop ran; at another API server also where a
 * server ended before it had removed or put them.
 */
function followObjects({ follow, enqueue }: LoopContext, resource: ResourceClient, isForeign: boolean): void {
  follow(resource, {
    replaced() {
      for (const object of resource.list('')) enqueue(keyOf(resource.definition.plural, object));
    },
    changed(object, previous) {
      if (!isForeign || (previous !== undefined && sameRights(object, previous))) return;
      enqueue(keyOf(resource.definition.plural, object), UNDER_WAY_MS);
    },
    deleted: () => undefined,
  });
}

function sameRights(one: CachedObject, other: CachedObject): boolean {
  const rights = (of: CachedObject): string => JSON.stringify([ownerOf(of.object()), accessOf(of.object())]);
  return rights(one) === rights(other);
}

function followRoles(
  { follow, enqueue }: LoopContext,
  roles: ResourceClient,
  kinds: ReadonlyMap<string, ResourceClient>,
): void {
  const look = (role: CachedObject): void => {
    const owner = ownerIn(kinds, role);
    if (owner === undefined) return;
    const { resource, namespace, name } = owner;
    const isForeign = roles.foreign === true;
    if (resource.cached(namespace, name) !== undefined)
      enqueue(keyOf(resource.definition.plural, owner), isForeign ? UNDER_WAY_MS : 0);
    else if (isForeign) enqueue(strayKey(roles, role), STRAY_MS);
  };
  follow(roles, {
    replaced() {
      if (roles.foreign === true) for (const role of roles.list('')) look(role);
    },
    changed(role, previous) {
      if (previous !== undefined || role.bytes.includes(FOREIGN)) look(role);
    },
    deleted: look,
  });
}
