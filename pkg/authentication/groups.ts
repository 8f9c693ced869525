/** Members of this group may do everything. */
export const MASTERS = 'system:masters';
/** Every user that is known. */
export const AUTHENTICATED = 'system:authenticated';
/** Whoever is not known. */
export const UNAUTHENTICATED = 'system:unauthenticated';
