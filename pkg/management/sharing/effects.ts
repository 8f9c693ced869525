/** Roles and bindings for the rights on an object, written in the object's commit. */
import type { KubeObject, ObjectKey, ResourceDefinition } from '../../../api/resource.js';
import { RBAC_GROUP, accessRoles, roleKinds } from './accessroles.js';
import { grantsRights, rightsOf } from './rights.js';
import type { Write } from '../../storage/interface.js';
import type {
  Change,
  TransactionKind,
  TransactionObjects,
  Effects,
} from '../../registry/transaction/effects.js';
import { sameJson } from '../../registry/object/metadata.js';
import { settingsOf } from '../settings.js';

const NOTHING: Effects = { writes: [], guards: [] };

/**
 * Writes changed roles and bindings, and removes obsolete ones. This server authorizes by the object itself, from the
 * moment that the write is acknowledged.
 */
export async function accessEffects(
  definition: ResourceDefinition,
  { next, previous }: Change,
  objects: TransactionObjects,
): Promise<Effects> {
  if (next !== undefined && previous !== undefined && sameRights(definition, next, previous)) return NOTHING;
  const decidesAccess = next !== undefined && (previous !== undefined || grantsRights(definition, next));
  if (settingsOf(objects).rolesElsewhere === true) return { ...NOTHING, decidesAccess };
  return { writes: await roleWrites(definition, { next, previous }, objects), guards: [], decidesAccess };
}

/** Restores roles and bindings; a controller removes obsolete ones. At another API server there are none of the whole cluster. */
export async function accessRepair(
  definition: ResourceDefinition,
  { next }: Change,
  objects: TransactionObjects,
): Promise<Effects> {
  if (settingsOf(objects).rolesElsewhere === true && !definition.namespaced) return NOTHING;
  return { writes: await roleWrites(definition, { next, previous: undefined }, objects), guards: [] };
}

async function roleWrites(
  definition: ResourceDefinition,
  { next, previous }: Pick<Change, 'next' | 'previous'>,
  objects: TransactionObjects,
): Promise<Write[]> {
  const wanted = next === undefined ? [] : accessRoles(definition, next);
  // Most objects have no access rules.
  if (wanted.length === 0 && previous === undefined) return [];
  const kept = new Set(wanted.map(({ name }) => name));
  const had = previous === undefined ? [] : accessRoles(definition, previous);
  const gone = had.filter(({ name }) => !kept.has(name));
  const namespace = (next ?? previous)?.metadata.namespace ?? '';
  const { roles, bindings } = roleKinds(definition.namespaced);
  const kinds = [
    { kind: objects.kind(RBAC_GROUP, roles), member: 'role' },
    { kind: objects.kind(RBAC_GROUP, bindings), member: 'binding' },
  ] as const;
  const writes: Write[] = [];
  for (const { kind, member } of kinds) {
    for (const one of wanted)
      writes.push(...kind.ensure(namespace, one[member], kind.cached({ namespace, name: one.name })));
    for (const { name } of gone) writes.push(...(await removal(kind, { namespace, name })));
  }
  return writes;
}

/** Reads from the store if the cache lacks the object: a stale cache must not preserve a right. */
async function removal(kind: TransactionKind, key: ObjectKey): Promise<Write[]> {
  const current = kind.cached(key) ?? (await kind.read(key));
  return current === undefined ? [] : [kind.remove(current)];
}

function sameRights(definition: ResourceDefinition, next: KubeObject, previous: KubeObject): boolean {
  return sameJson(rightsOf(definition, next), rightsOf(definition, previous));
}
