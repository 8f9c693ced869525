/** Subjects of bindings, as keys of an index. */
import { quote } from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import type { Subject } from '../../registry/rbac/bindings.js';

export const USER = 'user:';
export const GROUP = 'group:';

/** The key of a user (a service account is one), or of a group. */
export type SubjectKey = string;

/** Every key that a user has: the name's first. */
export function keysOf({ name, groups }: Pick<User, 'name' | 'groups'>): SubjectKey[] {
  return [USER + name, ...groups.map((group) => GROUP + group)];
}

/** `namespace`: of the binding, `''` for a ClusterRoleBinding. Undefined if the subject is invalid. */
export function keyOf(subject: Subject, namespace: string): SubjectKey | undefined {
  switch (subject.kind) {
    case 'User':
      return USER + subject.name;
    case 'Group':
      return GROUP + subject.name;
    case 'ServiceAccount': {
      const home = subject.namespace ?? namespace;
      return home === '' ? undefined : `${USER}system:serviceaccount:${home}:${subject.name}`;
    }
    default:
      return undefined;
  }
}

/** As in the reason that `kubectl auth can-i` prints: `User "jane"`, `ServiceAccount "builder/ci"`. */
export function describeSubject({ kind, name, namespace: own }: Subject, namespace: string): string {
  return `${kind} ${quote(kind === 'ServiceAccount' ? `${name}/${own ?? namespace}` : name)}`;
}
