/** The bindings of one namespace, or of the whole cluster, by whom they name. */
import type { KubeObject } from '../../../api/resource.js';
import { quote } from '../../apimachinery/errors.js';
import type { RoleRef, Subject } from '../../registry/rbac/bindings.js';
import { roleRefOf, subjectsOf } from '../../registry/rbac/bindings.js';
import type { SubjectKey } from './subjects.js';
import { describeSubject, keyOf } from './subjects.js';

/** What one binding says of one subject. */
export interface Bound {
  /** Of the binding. */
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subject: Subject;
}

/**
 * What tells people why they may: `RoleBinding "b/ns" of Role "r" to User "u"`. `namespace`: of the binding, `''` for a
 * ClusterRoleBinding.
 */
export function describeBound({ name, roleRef, subject }: Bound, namespace: string): string {
  const binding =
    namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  return `${binding} of ${roleRef.kind} ${quote(roleRef.name)} to ${describeSubject(subject, namespace)}`;
}

export interface BindingIndex {
  /** Adds a binding, or puts it in the place of the one of that name. */
  put(binding: KubeObject): void;
  remove(name: string): void;
  /** In the order in which bindings came. */
  of(key: SubjectKey): Iterable<Bound>;
  /** Whether any binding names it. */
  names(key: SubjectKey): boolean;
  /** Whom bindings of a role name. */
  boundTo(role: Pick<RoleRef, 'kind' | 'name'>): Iterable<SubjectKey>;
}

/** `namespace`: `''` for ClusterRoleBindings. */
export function bindingIndex(namespace: string): BindingIndex {
  /** By key, then by the binding's name. */
  const bySubject = new Map<SubjectKey, Map<string, Bound>>();
  const keysByName = new Map<string, readonly SubjectKey[]>();
  /** Names of bindings, by the role. */
  const byRole = new Map<string, Set<string>>();
  const roleOfName = new Map<string, string>();

  function remove(name: string): void {
    for (const key of keysByName.get(name) ?? []) {
      const bound = bySubject.get(key);
      bound?.delete(name);
      if (bound?.size === 0) bySubject.delete(key);
    }
    keysByName.delete(name);
    const role = roleOfName.get(name) ?? '';
    const others = byRole.get(role);
    others?.delete(name);
    if (others?.size === 0) byRole.delete(role);
    roleOfName.delete(name);
  }

  return {
    remove,
    put(binding) {
      const name = binding.metadata.name ?? '';
      remove(name);
      const found = boundOf(binding, name, namespace);
      for (const [key, bound] of found) {
        const others = bySubject.get(key);
        if (others === undefined) bySubject.set(key, new Map([[name, bound]]));
        else others.set(name, bound);
      }
      if (found.size === 0) return;
      keysByName.set(name, [...found.keys()]);
      const role = keyOfRole(roleRefOf(binding));
      roleOfName.set(name, role);
      const others = byRole.get(role);
      if (others === undefined) byRole.set(role, new Set([name]));
      else others.add(name);
    },
    of: (key) => bySubject.get(key)?.values() ?? [],
    names: (key) => bySubject.has(key),
    boundTo: (role) =>
      new Set([...(byRole.get(keyOfRole(role)) ?? [])].flatMap((name) => keysByName.get(name) ?? [])),
  };
}

/** Whom a binding names. */
export const subjectKeysOf = (binding: KubeObject, namespace: string): readonly SubjectKey[] =>
  subjectsOf(binding).flatMap((subject) => keyOf(subject, namespace) ?? []);

const keyOfRole = ({ kind, name }: Pick<RoleRef, 'kind' | 'name'>): string => `${kind} ${name}`;

function boundOf(binding: KubeObject, name: string, namespace: string): Map<SubjectKey, Bound> {
  const roleRef = roleRefOf(binding);
  const found = new Map<SubjectKey, Bound>();
  for (const subject of subjectsOf(binding)) {
    const key = keyOf(subject, namespace);
    if (key !== undefined && !found.has(key)) found.set(key, { name, roleRef, subject });
  }
  return found;
}
