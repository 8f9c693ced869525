/** Members of this group may do everything. */
export const MASTERS = 'system:masters';
/** Every user that is known. */
export const AUTHENTICATED = 'system:authenticated';
