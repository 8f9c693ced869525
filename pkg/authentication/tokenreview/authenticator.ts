import { createHmac, randomBytes } from 'node:crypto';
import { keptAnswers, type Answer } from '../../hostclient/answers.js';
import type { HostClient } from '../../hostclient/interface.js';
import { reviewer } from '../../hostclient/review.js';
import type { ReviewCounts } from '../../hostclient/reviewcounts.js';
import { bearerToken } from '../bearer.js';
import type { Authentication, Authenticator } from '../interface.js';
import { NONE, REFUSED } from '../interface.js';
import { expiryOf } from './expiry.js';
import { reviewedUser } from './user.js';

const REVIEW = {
  path: '/apis/authentication.k8s.io/v1/tokenreviews',
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
};
const MOST_KEPT = 20_000;
/** No token is longer; the host is not asked about such. */
const LONGEST_TOKEN = 64 * 1024;

export interface TokenReviewParts {
  readonly host: Pick<HostClient, 'send'>;
  /** How long answers count, good and bad ones, in ms. */
  readonly cacheTtlMs: number;
  readonly counts: Pick<ReviewCounts, 'record'>;
  /** Told that the host could not be asked; the error holds no token. */
  readonly failed: (error: unknown) => void;
  /** ms, monotonic. */
  readonly now?: () => number;
}

/**
 * Bearer tokens that the host knows. Where it cannot be asked the token is refused, as in Kubernetes, where an
 * authenticator that fails never makes anybody anonymous. Synchronous for a token that was asked about just now.
 */
export function tokenReviewAuthenticator(parts: TokenReviewParts): Authenticator {
  const { host, cacheTtlMs, counts, failed, now } = parts;
  const ask = reviewer(host, REVIEW, counts);
  const answers = keptAnswers<Authentication>(MOST_KEPT, now);
  const secret = randomBytes(32);
  const review = async (token: string): Promise<Answer<Authentication>> => {
    try {
      const user = reviewedUser(await ask({ token }));
      if (user === undefined) return { value: REFUSED, keepMs: cacheTtlMs, ofStrangers: true };
      const expires = expiryOf(token);
      const known = expires === undefined ? user : { ...user, credential: { expires } };
      return { value: { outcome: 'user', user: known }, keepMs: cacheTtlMs };
    } catch (error) {
      failed(error);
      return { value: REFUSED, keepMs: 0 };
    }
  };
  return {
    authenticate({ authorization }) {
      const token = bearerToken(authorization);
      if (token === undefined) return NONE;
      if (token.length > LONGEST_TOKEN) return REFUSED;
      const key = createHmac('sha256', secret).update(token).digest('base64');
      return answers.get(key, () => review(token));
    },
  };
}
