/** Reviews by the host: TokenReview and SubjectAccessReview. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, membersOf } from '../apimachinery/encoding/members.js';
import { HostUnreachable, type HostAnswer, type HostClient } from './interface.js';
import type { ReviewCounts } from './reviewcounts.js';

/**
 * The host did not answer with a review: it denies this server the request, or is another program. Contains
 * no secrets.
 */
class ReviewRefused extends Error {
  override readonly name = 'ReviewRefused';
  constructor(readonly status: number) {
    super(`the host answers ${status} to a review`);
  }
}

export interface ReviewKind {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Returns `status` of the review. Rejects with {@link HostUnreachable} when the host does not answer in time
 * or keeps asking to retry, with {@link ReviewRefused} for any other response.
 */
export type AskReview = (spec: object) => Promise<Readonly<Record<string, unknown>>>;

/** Retries as in Kubernetes, but within the time that a client waits for a request. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.2;
const REVIEW_TIMEOUT_MS = 8_000;
/** Statuses that are retried: overload or a temporary failure. */
const AGAIN: readonly number[] = [429, 500, 502, 503, 504];

/** `counts`: records every attempt. */
export function reviewer(
  host: Pick<HostClient, 'send'>,
  { path, apiVersion, kind }: ReviewKind,
  counts: Pick<ReviewCounts, 'record'>,
): AskReview {
  async function attempt(spec: object, timeoutMs: number): Promise<HostAnswer> {
    const began = performance.now();
    let code = '<error>';
    try {
      const body = { apiVersion, kind, spec };
      const answer = await host.send({ method: 'POST', path, body, timeoutMs, repeatable: true });
      code = String(answer.status);
      return answer;
    } finally {
      counts.record(code, (performance.now() - began) / 1000);
    }
  }
  return async (spec) => {
    const until = performance.now() + REVIEW_TIMEOUT_MS;
    let pause = FIRST_PAUSE_MS;
    for (let attempts = 1; ; attempts += 1) {
      const wait = pause * (1 + Math.random() * JITTER);
      const last = attempts >= ATTEMPTS || performance.now() + wait >= until;
      try {
        const answer = await attempt(spec, Math.max(1, until - performance.now()));
        const status = statusIn(answer);
        if (status !== undefined) return status;
        if (!AGAIN.includes(answer.status)) throw new ReviewRefused(answer.status);
        if (last) throw new HostUnreachable(`the host answers ${answer.status} to reviews`, true);
      } catch (error) {
        if (last || !(error instanceof HostUnreachable)) throw error;
      }
      await sleep(wait);
      pause *= FACTOR;
    }
  };
}

function statusIn({ status, body }: HostAnswer): Readonly<Record<string, unknown>> | undefined {
  if (status !== 200 && status !== 201) return undefined;
  const { status: found } = membersOf(body);
  return isObject(found) ? found : undefined;
}
