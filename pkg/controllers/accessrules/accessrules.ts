/** Undoes what others did to the roles and bindings of access rules; the rules' own writes go with their objects. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RBAC_GROUP, hasAccess, objectOfRole, roleKinds } from '../../apimachinery/access/accessroles.js';
import type { CachedObject, Loop, LoopContext, ResourceClient } from '../interface.js';
import { STRAY_MS, removeStray, strayIn, strayKey } from './strays.js';
import { resourceOf } from '../interface.js';

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
    for (const resource of kinds.values()) followObjects(context, resource);
    for (const namespaced of [true, false])
      for (const plural of Object.values(roleKinds(namespaced)))
        followRoles(context, resourceOf(context.client, RBAC_GROUP, plural), kinds);
    return {
      async reconcile(key) {
        // Most are as they should be: others get their turn between them.
        await nextTurn();
        const stray = strayIn(key);
        if (stray !== undefined) return removeStray(context.client, kinds, stray);
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

/** Roles may have been changed, or be missing, from the time before this loop ran. */
function followObjects({ follow, enqueue }: LoopContext, resource: ResourceClient): void {
  follow(resource, {
    replaced() {
      for (const object of resource.list('')) enqueue(keyOf(resource.definition.plural, object));
    },
    changed: () => undefined,
    deleted: () => undefined,
  });
}

function followRoles(
  { follow, enqueue }: LoopContext,
  roles: ResourceClient,
  kinds: ReadonlyMap<string, ResourceClient>,
): void {
  const look = (role: CachedObject): void => {
    const object = objectOfRole(role.name);
    const resource = object && kinds.get(object.plural);
    if (object === undefined || resource?.definition.namespaced !== (role.namespace !== '')) return;
    if (resource.cached(role.namespace, object.name) === undefined) {
      if (roles.foreign === true) enqueue(strayKey(roles, role), STRAY_MS);
      return;
    }
    enqueue(keyOf(object.plural, { namespace: role.namespace, name: object.name }));
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
