import { AUTHENTICATED, PRIVILEGED_GROUP } from './groups.js';
import type { User } from './interface.js';

/** The user of an administrator's key, whatever the state of the User of that name. */
export const ADMIN: User = {
  name: 'admin',
  uid: 'admin',
  groups: [PRIVILEGED_GROUP, AUTHENTICATED],
  extra: {},
};
