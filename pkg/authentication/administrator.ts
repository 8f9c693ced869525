import { AUTHENTICATED, PRIVILEGED_GROUP } from './groups.js';
import type { User } from './interface.js';

/** Who holds an administrator's key, whatever became of the User of that name. */
export const ADMIN: User = {
  name: 'admin',
  uid: 'admin',
  groups: [PRIVILEGED_GROUP, AUTHENTICATED],
  extra: {},
};
