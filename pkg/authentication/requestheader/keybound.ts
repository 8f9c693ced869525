import { AUTHENTICATED } from '../groups.js';
import {
  REFUSED,
  type Authentication,
  type Authenticator,
  type KeyFingerprint,
  type User,
} from '../interface.js';
import { MADE_WITH, readReportedKey } from '../issuedtoken/madewith.js';
import { onceKnown } from '../../apimachinery/eventloop/onceknown.js';

/** The current state of keys. */
export interface KnownKeys {
  /** The user of a key that a front proxy reports. */
  vouched(this: void, key: KeyFingerprint): Authentication;
  /** The expiry of credentials created with a key, in ms since the epoch. */
  madeWithEnd(this: void, key: KeyFingerprint): number;
}

/**
 * Authenticates users that a front proxy knows by an access key, from a TokenReview of this server. They end with the
 * key, and lose what the key has lost since, whatever the proxy cached. Credentials that they create end with the key,
 * too.
 */
export function keyBoundAuthenticator(
  headers: Authenticator,
  { vouched, madeWithEnd }: KnownKeys,
  now: () => number = Date.now,
): Authenticator {
  const bound = (answer: Authentication): Authentication => {
    if (answer.outcome !== 'user') return answer;
    const reported = readReportedKey(answer.user.extra[MADE_WITH]);
    if (reported === undefined) return answer;
    const end = madeWithEnd(reported.key);
    if (end <= now()) return REFUSED;
    const known = reported.kind === 'key' ? vouched(reported.key) : answer;
    if (known.outcome !== 'user' || known.user.name !== answer.user.name) return REFUSED;
    const user = {
      ...answer.user,
      groups: shared(answer.user, known.user),
      credential: { madeWith: reported.key },
    };
    return { ...answer, user, expires: Math.min(answer.expires ?? Infinity, end) };
  };
  return {
    authenticate: (credentials) => onceKnown(headers.authenticate(credentials), bound),
  };
}

const shared = (one: User, other: User): readonly string[] =>
  one === other
    ? one.groups
    : one.groups.filter((group) => group === AUTHENTICATED || other.groups.includes(group));
