/** The roles and bindings of an object's access rules, written in its own commit: who may is never a moment behind. */
import type { KubeObject, ResourceDefinition } from '../../../../api/resource.js';
import type { AccessRole } from '../../../apimachinery/access/accessroles.js';
import {
  RBAC_GROUP,
  accessOf,
  accessRoles,
  objectOfRole,
  ownerOf,
  roleKinds,
} from '../../../apimachinery/access/accessroles.js';
import type { Write } from '../../../storage/interface.js';
import type { Change, CommitKind, CommitObjects, Effects } from '../../effects.js';
import { sameJson } from '../../metadata.js';

const NOTHING: Effects = { writes: [], guards: [] };

/**
 * Writes what changes, and removes what is no longer wanted: rights end in the commit that takes them. Roles of these
 * names are the server's, and others' changes to them are undone. With no `previous`, roles that the rules do not have go:
 * what a create left that was cut off would be rights to this object.
 */
export async function accessEffects(
  definition: ResourceDefinition,
  { next, previous }: Change,
  objects: CommitObjects,
): Promise<Effects> {
  if (next !== undefined && previous !== undefined && sameAccess(next, previous)) return NOTHING;
  const wanted = next === undefined ? [] : accessRoles(definition, next);
  const kept = new Set(wanted.map(({ name }) => name));
  const had = previous === undefined ? [] : accessRoles(definition, previous);
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
      writes.push(...kind.put(namespace, one[member], kind.known(namespace, one.name), becomes));
    }
    for (const one of gone) writes.push(...(await removal(kind, namespace, one)));
  }
  if (next !== undefined && previous === undefined) writes.push(...strayRoles(definition, next, objects));
  return { writes, guards: [] };
}

/** Removals of roles that the object's rules do not have. */
function strayRoles(definition: ResourceDefinition, object: KubeObject, objects: CommitObjects): Write[] {
  const { name = '', namespace = '' } = object.metadata;
  const wanted = new Set(accessRoles(definition, object).map((one) => one.name));
  return Object.values(roleKinds(definition.namespaced)).flatMap((plural) => {
    const kind = objects.kind(RBAC_GROUP, plural);
    return [...kind.strays(namespace, `management:${definition.plural}:${name}:`)]
      .filter((entry) => !wanted.has(entry.name) && objectOfRole(entry.name) !== undefined)
      .map((entry) => kind.remove(entry));
  });
}

/** A cache that is behind must not let a right live on. */
async function removal(kind: CommitKind, namespace: string, { name }: AccessRole): Promise<Write[]> {
  const current = kind.known(namespace, name) ?? (await kind.read(namespace, name));
  return current === undefined ? [] : [kind.remove(current)];
}

function sameAccess(next: Parameters<typeof accessOf>[0], previous: typeof next): boolean {
  return sameJson(accessOf(next), accessOf(previous)) && sameJson(ownerOf(next), ownerOf(previous));
}
