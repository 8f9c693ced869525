/** Members of this group may do everything. */
export const PRIVILEGED_GROUP = 'system:masters';
/** The group of all authenticated users. */
export const AUTHENTICATED = 'system:authenticated';
/** The group of anonymous requests. */
export const UNAUTHENTICATED = 'system:unauthenticated';

const NOBODY = 'system:anonymous';

/**
 * The groups of a user that another server authenticated: every user is in either {@link AUTHENTICATED} or {@link
 * UNAUTHENTICATED}, which that server may have added (`k8s.io/apiserver/pkg/authentication/group`).
 */
export function settledGroups(name: string, groups: readonly string[]): readonly string[] {
  const isAdded = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return isAdded || name === NOBODY ? groups : [...groups, AUTHENTICATED];
}
