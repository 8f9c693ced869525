import type { RequestUser } from '../virtualresource.js';

/** A user as reviews print it; empty members are left out. */
export function userInfo({ name, uid, groups, extra }: RequestUser): object {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
