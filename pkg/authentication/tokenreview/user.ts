import { membersOf } from '../../apimachinery/encoding/members.js';
import { settledGroups } from '../groups.js';
import type { User } from '../interface.js';

/** The user in `status` of a TokenReview; undefined if the token was rejected. Throws Error for an invalid status. */
export function reviewedUser(status: Readonly<Record<string, unknown>>): User | undefined {
  if (status.authenticated !== true) return undefined;
  const { username = '', uid = '', groups = [], extra = {} } = membersOf(status.user);
  if (typeof username !== 'string' || typeof uid !== 'string' || !isTexts(groups) || !isExtra(extra))
    throw new Error('the host answers a review with a user that is none');
  if (username === '') return undefined;
  return { name: username, uid, groups: settledGroups(username, groups), extra };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isExtra = (value: unknown): value is Record<string, string[]> =>
  typeof value === 'object' && value !== null && Object.values(value).every(isTexts);
