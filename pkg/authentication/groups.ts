/** Members of this group may do everything. */
export const PRIVILEGED_GROUP = 'system:masters';
/** Every user that is known. */
export const AUTHENTICATED = 'system:authenticated';
/** Whoever is not known. */
export const UNAUTHENTICATED = 'system:unauthenticated';

const NOBODY = 'system:anonymous';

/**
 * The groups of a user whom another server knows: everybody is in one of {@link AUTHENTICATED} and
 * {@link UNAUTHENTICATED}, which that server may have said (`k8s.io/apiserver/pkg/authentication/group`).
 */
export function settledGroups(name: string, groups: readonly string[]): readonly string[] {
  const said = groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED);
  return said || name === NOBODY ? groups : [...groups, AUTHENTICATED];
}
