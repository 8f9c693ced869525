import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { decisionCache, type FetchedDecision } from '../../hostclient/decisioncache.js';
import type { HostClient } from '../../hostclient/interface.js';
import { reviewer } from '../../hostclient/review.js';
import type { ReviewCounts } from '../../hostclient/reviewcounts.js';
import { bearerToken } from '../bearer.js';
import { NONE, REFUSED, type Authentication, type Authenticator, type User } from '../interface.js';
import { ReviewBounds } from './bounds.js';
import { parseJson } from '../../apimachinery/encoding/depth.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { settledGroups } from '../groups.js';

/** The expiry in a token of the host, in ms since 1970; undefined: it is not a JWT, or has none. */
function expiryOf(token: string): number | undefined {
  const [, payload, signature, ...rest] = token.split('.', 4);
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  try {
    const claims: unknown = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return undefined;
    return typeof claims.exp === 'number' ? claims.exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

const REVIEW = {
  path: '/apis/authentication.k8s.io/v1/tokenreviews',
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
};
const MAX_CACHED_REVIEWS = 20_000;
/** No token is longer; the host is not asked about such. */
const LONGEST_TOKEN = 64 * 1024;

export interface TokenReviewParts {
  readonly host: Pick<HostClient, 'send'>;
  /** How long TokenReview answers are cached, positive and negative ones, in ms. */
  readonly cacheTtlMs: number;
  readonly counts: Pick<ReviewCounts, 'record'>;
  /** Called if the review failed; the error does not contain the token. */
  readonly failed: (error: unknown) => void;
  /** ms, monotonic. */
  readonly now?: () => number;
}

/**
 * Authenticates bearer tokens by TokenReview of the host. If the review fails the token is refused, as in Kubernetes,
 * where an authenticator that fails never makes a request anonymous. Synchronous for a cached token. Rejects with
 * StatusError 429 after too many reviews of unknown tokens.
 */
export function tokenReviewAuthenticator(parts: TokenReviewParts): Authenticator {
  const { host, cacheTtlMs, counts, failed, now = () => performance.now() } = parts;
  const ask = reviewer(host, REVIEW, counts);
  const answers = decisionCache<Authentication>(MAX_CACHED_REVIEWS, now);
  const bounds = new ReviewBounds(now);
  const known = latest(MAX_CACHED_REVIEWS);
  const secret = createSecretKey(randomBytes(32));
  const review = async (token: string): Promise<FetchedDecision<Authentication>> => {
    try {
      const user = reviewedUser(await ask({ token }));
      if (user === undefined) return { value: REFUSED, ttlMs: cacheTtlMs, unbounded: true };
      const expires = expiryOf(token);
      const bearer = expires === undefined ? user : { ...user, credential: { expires } };
      return { value: { outcome: 'user', user: bearer }, ttlMs: cacheTtlMs };
    } catch (error) {
      failed(error);
      return { value: REFUSED, ttlMs: 0 };
    }
  };
  /** Tokens that the host accepted before are reviewed again without a limit. */
  const bounded = async (
    token: string,
    key: string,
    source: string,
  ): Promise<FetchedDecision<Authentication>> => {
    if (known.has(key)) return learn(await review(token), key, source);
    const release = await bounds.enter(source);
    try {
      return learn(await review(token), key, source);
    } finally {
      release();
    }
  };
  function learn(
    answer: FetchedDecision<Authentication>,
    key: string,
    source: string,
  ): FetchedDecision<Authentication> {
    if (answer.value.outcome === 'user') known.add(key);
    else if (answer.unbounded === true) {
      known.delete(key);
      bounds.refused(source);
    }
    return answer;
  }
  return {
    authenticate({ authorization, source = '' }) {
      const token = bearerToken(authorization);
      if (token === undefined) return NONE;
      if (token.length > LONGEST_TOKEN) return REFUSED;
      const key = createHmac('sha256', secret).update(token).digest('base64');
      return answers.get(key, () => bounded(token, key, source));
    },
  };
}

/** The `most` that were added last. */
function latest(most: number): Pick<Set<string>, 'has' | 'add' | 'delete'> {
  const all = new Set<string>();
  return {
    has: (key) => all.has(key),
    delete: (key) => all.delete(key),
    add(key) {
      all.delete(key);
      if (all.size >= most) all.delete(all.values().next().value!);
      return all.add(key);
    },
  };
}

/** The user in `status` of a TokenReview; undefined if the token was rejected. Throws Error for an invalid status. */
function reviewedUser(status: Readonly<Record<string, unknown>>): User | undefined {
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
