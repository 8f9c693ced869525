/**
 * Keeps the roles and bindings of objects' rights as they should be: undoes what others did to them, removes those of
 * objects that are not there and those of older releases, and whatever else binds them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeObject } from '../../../api/resource.js';
import { RBAC_GROUP, roleKinds } from '../../apimachinery/access/accessroles.js';
import { objectOfRole } from '../../apimachinery/access/managednames.js';
import { hasAccess, rightsOf } from '../../apimachinery/access/rights.js';
import type { CachedObject, Loop, LoopContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';
import type { StrayOwner } from '../strays.js';
import { STRAY_MS, UNDER_WAY_MS, bindsObjectRights, removeStray, strayIn, strayKey } from '../strays.js';
import { ownerIn } from './roleowner.js';

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
        if (stray !== undefined)
          return removeStray(context.client, (one) => ownerIn(kinds, one, isForeign), stray);
        const [plural = '', namespace = '', name = ''] = key.split('/');
        // What is in a namespace that is being deleted goes.
        if (namespaces.cached('', namespace)?.object().metadata.deletionTimestamp !== undefined) return;
        await kinds.get(plural)?.repair(namespace, name);
      },
    };
  },
};

const keyOf = (plural: string, { namespace, name }: Pick<CachedObject, 'namespace' | 'name'>): string =>
  `${plural}/${namespace}/${name}`;

/**
 * Roles may have been changed, or be missing, from the time before this loop ran; at another API server also where a
 * server ended before it had removed or put them.
 */
function followObjects({ follow, enqueue }: LoopContext, resource: ResourceClient, isForeign: boolean): void {
  const { definition } = resource;
  const rights = (of: CachedObject): string => JSON.stringify(rightsOf(definition, of.object()));
  follow(resource, {
    replaced() {
      for (const object of resource.list('')) enqueue(keyOf(definition.plural, object));
    },
    changed(object, previous) {
      if (!isForeign || (previous !== undefined && rights(object) === rights(previous))) return;
      enqueue(keyOf(definition.plural, object), UNDER_WAY_MS);
    },
    deleted: () => undefined,
  });
}

function followRoles(
  { follow, enqueue }: LoopContext,
  roles: ResourceClient,
  kinds: ReadonlyMap<string, ResourceClient>,
): void {
  const isForeign = roles.foreign === true;
  const objectOf = (owner: StrayOwner): KubeObject | undefined =>
    owner.resource.cached(owner.namespace, owner.name)?.object();
  /** The key of the object that wants it. */
  const wanting = (role: CachedObject): string | undefined => {
    const owner = ownerIn(kinds, role, isForeign);
    const object = owner && objectOf(owner);
    if (owner === undefined || object === undefined || !owner.wants(object)) return undefined;
    return keyOf(owner.resource.definition.plural, owner);
  };
  /** What older releases wrote for an object that is there waits for no commit. */
  const strayAfter = (owner: StrayOwner | undefined, name: string): number => {
    if (!isForeign) return 0;
    const isOlder = objectOfRole(name)?.uid === undefined && owner && objectOf(owner) !== undefined;
    return isOlder === true ? UNDER_WAY_MS : STRAY_MS;
  };
  const repair = (key: string): void => enqueue(key, isForeign ? UNDER_WAY_MS : 0);
  const look = (role: CachedObject): void => {
    const key = wanting(role);
    if (key !== undefined) return repair(key);
    const owner = ownerIn(kinds, role, isForeign);
    if (owner !== undefined || bindsObjectRights(roles, role))
      enqueue(strayKey(roles, role), strayAfter(owner, role.name));
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
