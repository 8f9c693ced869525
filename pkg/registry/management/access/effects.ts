/** Roles and bindings for the rights on an object, written in the object's commit. */
import type { KubeObject, ResourceDefinition } from '../../../../api/resource.js';
import type { AccessRole } from '../../../management/access/accessroles.js';
import { RBAC_GROUP, accessRoles, roleKinds } from '../../../management/access/accessroles.js';
import { rightsOf } from '../../../management/access/rights.js';
import type { Write } from '../../../storage/interface.js';
import type { Change, TransactionKind, TransactionObjects, Effects } from '../../transaction/effects.js';
import { sameJson } from '../../object/metadata.js';

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
  const changesRights =
    previous !== undefined || (next !== undefined && rightsOf(definition, next).length > 0);
  const decidesAccess = next !== undefined && changesRights;
  if (areWrittenLater(objects)) return { ...NOTHING, decidesAccess };
  return { writes: await roleWrites(definition, { next, previous }, objects), guards: [], decidesAccess };
}

/** Restores roles and bindings; a controller removes obsolete ones. */
export async function accessRepair(
  definition: ResourceDefinition,
  { next }: Change,
  objects: TransactionObjects,
): Promise<Effects> {
  return { writes: await roleWrites(definition, { next, previous: undefined }, objects), guards: [] };
}

/** Whether a controller writes the roles, because they are in another API server that does not authorize by them. */
function areWrittenLater({ settings }: TransactionObjects): boolean {
  const { rolesAtHost } = settings;
  return rolesAtHost !== undefined && rolesAtHost() !== 'everybody';
}

async function roleWrites(
  definition: ResourceDefinition,
  { next, previous }: Pick<Change, 'next' | 'previous'>,
  objects: TransactionObjects,
): Promise<Write[]> {
  const rolesFor = objects.settings.rolesAtHost?.() ?? 'access';
  const rolesOf = (object: KubeObject | undefined): AccessRole[] =>
    object === undefined ? [] : accessRoles(definition, object, rolesFor);
  const wanted = rolesOf(next);
  // Most objects have no access rules.
  if (wanted.length === 0 && previous === undefined) return [];
  const kept = new Set(wanted.map(({ name }) => name));
  const had = rolesOf(previous);
  const before = new Map(had.map((one) => [one.name, one]));
  const gone = had.filter(({ name }) => !kept.has(name));
  const namespace = (next ?? previous)?.metadata.namespace ?? '';
  const { roles, bindings } = roleKinds(definition.namespaced);
  const kinds = [
    { kind: objects.kind(RBAC_GROUP, roles), member: 'role' },
    { kind: objects.kind(RBAC_GROUP, bindings), member: 'binding' },
  ] as const;
  const writes: Write[] = [];
  for (const { kind, member } of kinds) {
    for (const one of wanted) {
      const becomes = previous !== undefined && !sameJson(before.get(one.name)?.[member], one[member]);
      writes.push(...kind.ensure(namespace, one[member], kind.cached(namespace, one.name), becomes));
    }
    for (const { name } of gone) writes.push(...(await removal(kind, namespace, name)));
    if (previous !== undefined) writes.push(...olderRoles(definition, previous, kind));
  }
  return writes;
}

/** Reads from the store if the cache lacks the object: a stale cache must not preserve a right. */
async function removal(kind: TransactionKind, namespace: string, name: string): Promise<Write[]> {
  const current = kind.cached(namespace, name) ?? (await kind.read(namespace, name));
  return current === undefined ? [] : [kind.remove(current)];
}

/**
 * Removes roles that older releases named without the uid, at another API server that authorizes by them. In our own
 * store a controller removes them, as this server does not authorize by them.
 */
function olderRoles(
  definition: ResourceDefinition,
  { metadata }: KubeObject,
  kind: TransactionKind,
): Write[] {
  const { name = '', namespace = '' } = metadata;
  const beginning = `management:${definition.plural}:${name}:`;
  return [...kind.orphans(namespace, beginning)]
    .filter((entry) => OLDER_PART.test(entry.name.slice(beginning.length)))
    .map((entry) => kind.remove(entry));
}

const OLDER_PART = /^(?:owner|members|\d+)$/;

function sameRights(definition: ResourceDefinition, next: KubeObject, previous: KubeObject): boolean {
  return sameJson(rightsOf(definition, next), rightsOf(definition, previous));
}
