/** What a write to an object with access rules does to its rights, and to their roles at another API server. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { RBAC_GROUP, accessRoles, roleKinds } from './accessroles.js';
import { grantsRights, rightsOf } from './rights.js';
import type { Change, TransactionObjects, Effects } from '../../registry/transaction/effects.js';
import { sameJson } from '../../registry/object/metadata.js';
import { settingsOf } from '../settings.js';

/** Whether the change grants rights, or takes some from an object that stays: this server authorizes by the object itself. */
export function changesRights(
  definition: ResourceDefinition,
  { next, previous }: Pick<Change, 'next' | 'previous'>,
): boolean {
  if (next === undefined) return false;
  if (previous === undefined) return grantsRights(definition, next);
  return !sameJson(rightsOf(definition, next), rightsOf(definition, previous));
}

/**
 * Restores the roles and bindings of an object in a namespace at another API server; a controller removes obsolete ones. In
 * our own store none are written (`derivedroles.ts`).
 */
export async function accessRepair(
  definition: ResourceDefinition,
  { next }: Pick<Change, 'next'>,
  objects: TransactionObjects,
): Promise<Effects> {
  const elsewhere = settingsOf(objects).rolesElsewhere === true && definition.namespaced;
  if (next === undefined || !elsewhere) return { writes: [], guards: [] };
  const { namespace = '' } = next.metadata;
  const { roles, bindings } = roleKinds(definition.namespaced);
  const wanted = accessRoles(definition, next);
  const kinds = [
    { kind: objects.kind(RBAC_GROUP, roles), member: 'role' },
    { kind: objects.kind(RBAC_GROUP, bindings), member: 'binding' },
  ] as const;
  const writes = kinds.flatMap(({ kind, member }) =>
    wanted.flatMap((one) => kind.ensure(namespace, one[member], kind.cached({ namespace, name: one.name }))),
  );
  return { writes, guards: [] };
}
