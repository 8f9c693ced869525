import type { TokenReview } from '../../../api/authentication.k8s.io/v1/tokenreview.js';
import type { User } from '../../apimachinery/user.js';

/** Formats a user for reviews, without empty fields. */
export function userInfo({ name, uid, groups, extra }: User): NonNullable<TokenReview['status']>['user'] {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(Object.keys(extra).length > 0 && {
      extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
    }),
  };
}
