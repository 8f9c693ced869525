import type { KubeObject } from '../../../api/resource.js';
import { quote } from '../../apimachinery/errors.js';
import { roleRefOf, subjectsOf, type RoleRef, type Subject } from '../../registry/rbac/bindings.js';
import { describeSubject, keyOf, type SubjectKey } from './subjects.js';

/** One subject of a binding. */
export interface Bound {
  /** Of the binding. */
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subject: Subject;
}

/**
 * The reason of an allowed request: `RoleBinding "b/ns" of Role "r" to User "u"`. `namespace`: of the binding, `''` for
 * a ClusterRoleBinding.
 */
export function describeBound({ name, roleRef, subject }: Bound, namespace: string): string {
  const binding =
    namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  return `${binding} of ${roleRef.kind} ${quote(roleRef.name)} to ${describeSubject(subject, namespace)}`;
}

/** The bindings of one namespace, or of the whole cluster, by subject and by role. */
export class BindingIndex {
  /** By key, then by the binding's name. */
  private readonly bySubject = new Map<SubjectKey, Map<string, Bound>>();
  private readonly keysByName = new Map<string, readonly SubjectKey[]>();
  /** Names of bindings, by the role. */
  private readonly byRole = new Map<string, Set<string>>();
  private readonly roleOfName = new Map<string, string>();

  /** `namespace`: `''` for ClusterRoleBindings. */
  constructor(private readonly namespace: string) {}

  /** Adds a binding, or replaces the one of the same name. */
  put(binding: KubeObject): void {
    const name = binding.metadata.name ?? '';
    this.remove(name);
    const found = boundOf(binding, name, this.namespace);
    for (const [key, bound] of found) {
      const others = this.bySubject.get(key);
      if (others === undefined) this.bySubject.set(key, new Map([[name, bound]]));
      else others.set(name, bound);
    }
    if (found.size === 0) return;
    this.keysByName.set(name, [...found.keys()]);
    const role = keyOfRole(roleRefOf(binding));
    this.roleOfName.set(name, role);
    const others = this.byRole.get(role);
    if (others === undefined) this.byRole.set(role, new Set([name]));
    else others.add(name);
  }

  remove(name: string): void {
    for (const key of this.keysByName.get(name) ?? []) {
      const bound = this.bySubject.get(key);
      bound?.delete(name);
      if (bound?.size === 0) this.bySubject.delete(key);
    }
    this.keysByName.delete(name);
    const role = this.roleOfName.get(name) ?? '';
    const others = this.byRole.get(role);
    others?.delete(name);
    if (others?.size === 0) this.byRole.delete(role);
    this.roleOfName.delete(name);
  }

  get isEmpty(): boolean {
    return this.keysByName.size === 0;
  }

  /** In the order in which bindings were added. */
  of(key: SubjectKey): Iterable<Bound> {
    return this.bySubject.get(key)?.values() ?? [];
  }

  /** Whether a binding has the subject. */
  names(key: SubjectKey): boolean {
    return this.bySubject.has(key);
  }

  /** The subjects of the bindings of each role, in order. */
  *byRoles(): Generator<readonly [Bound, ...Bound[]]> {
    const boundOf = (name: string): Bound[] =>
      (this.keysByName.get(name) ?? []).flatMap((key) => this.bySubject.get(key)?.get(name) ?? []);
    for (const role of [...this.byRole.keys()].sort()) {
      const [first, ...others] = [...(this.byRole.get(role) ?? [])].sort().flatMap(boundOf);
      if (first !== undefined) yield [first, ...others];
    }
  }

  /** The subjects of all bindings of a role. */
  boundTo(role: Pick<RoleRef, 'kind' | 'name'>): Iterable<SubjectKey> {
    const names = [...(this.byRole.get(keyOfRole(role)) ?? [])];
    return new Set(names.flatMap((name) => this.keysByName.get(name) ?? []));
  }
}

/** The subjects of a binding. */
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
