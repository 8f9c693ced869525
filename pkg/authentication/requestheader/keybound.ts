import { AUTHENTICATED } from '../groups.js';
import type { Authentication, Authenticator, KeyFingerprint, User } from '../interface.js';
import { REFUSED } from '../interface.js';
import { MADE_WITH, readReportedKey } from '../issuedtoken/madewith.js';

/** What is known of keys now. */
export interface KnownKeys {
  /** Who acts with a key that a front proxy was told whose it is. */
  vouched(this: void, key: KeyFingerprint): Authentication;
  /** When what was made with a key ends, or has ended, in ms since the epoch. */
  madeWithEnd(this: void, key: KeyFingerprint): number;
}

/**
 * Users whom a front proxy knows by an access key, because this server told it whose the key is (TokenReview), end with the
 * key, and with what they were when it was told, whatever the proxy remembers. What they make ends with the key, too.
 */
export function keyBoundAuthenticator(
  headers: Authenticator,
  { vouched, madeWithEnd }: KnownKeys,
  now: () => number = Date.now,
): Authenticator {
  const bound = (answer: Authentication): Authentication => {
    if (answer.outcome !== 'user') return answer;
    const told = readReportedKey(answer.user.extra[MADE_WITH]);
    if (told === undefined) return answer;
    const end = madeWithEnd(told.key);
    if (end <= now()) return REFUSED;
    const known = told.kind === 'key' ? vouched(told.key) : answer;
    if (known.outcome !== 'user' || known.user.name !== answer.user.name) return REFUSED;
    const user = {
      ...answer.user,
      groups: shared(answer.user, known.user),
      credential: { madeWith: told.key },
    };
    return { ...answer, user, expires: Math.min(answer.expires ?? Infinity, end) };
  };
  return {
    authenticate(credentials) {
      const answer = headers.authenticate(credentials);
      return answer instanceof Promise ? answer.then(bound) : bound(answer);
    },
  };
}

const shared = (one: User, other: User): readonly string[] =>
  one === other
    ? one.groups
    : one.groups.filter((group) => group === AUTHENTICATED || other.groups.includes(group));
