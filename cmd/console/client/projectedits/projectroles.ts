/** The short names of ClusterRoles that every server has for members of projects. */
const ROLES = { viewer: 'viewer', user: 'user', admin: 'admin' } as const;
export type Role = keyof typeof ROLES;
export const ROLE_PREFIX = 'management-project-';

/** Undefined: the member has another ClusterRole, or several. */
export const roleOf = (clusterRoles: readonly string[]): Role | undefined =>
  Object.values(ROLES).find((role) => clusterRoles.length === 1 && clusterRoles[0] === ROLE_PREFIX + role);

/** A ClusterRole by its short name, if it has one. `names`: those of the language. */
export function shortRole(clusterRole: string, names: Readonly<Record<Role, string>>): string {
  const role = roleOf([clusterRole]);
  return role === undefined ? clusterRole : names[role];
}
