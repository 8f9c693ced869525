/** Authenticates long-lived requests again: a watch or an exec ends with its token. */
import type { Authentication } from '../authentication/interface.js';
import type { ExchangeEnd } from '../server/exchangeend.js';
import type { AuthenticationOptions } from './interface.js';

interface OpenRequest {
  /** The header of the request. */
  readonly authorization: string | undefined;
  /** The groups that the request was forwarded with. */
  readonly groups: readonly string[];
  /** Whether its destination still exists. */
  readonly still: () => boolean;
  readonly end: ExchangeEnd;
}

export interface OpenRequests {
  add(request: OpenRequest): void;
  /**
   * Ends requests whose token has ended, whose user has left a team that they depend on, or whose space is
   * gone; and all requests while that is not known. `now` of `performance`.
   */
  check(now: number): Promise<void>;
}

export function openRequests({ authenticate, freshness, maxAgeMs }: AuthenticationOptions): OpenRequests {
  const open = new Set<OpenRequest>();
  return {
    add(request) {
      open.add(request);
      request.end.after(() => open.delete(request));
    },
    async check(now) {
      const stale = freshness.age(now) > maxAgeMs;
      /** Many requests have the same token. */
      const asked = new Map<string | undefined, Authentication>();
      for (const { authorization, groups, still, end } of [...open]) {
        if (!still()) end.cut();
        if (!stale && !asked.has(authorization)) asked.set(authorization, await authenticate(authorization));
        if (stale || !isStillOf(groups, asked.get(authorization))) end.cut();
      }
    },
  };
}

const isStillOf = (groups: readonly string[], answer: Authentication | undefined): boolean =>
  answer?.outcome === 'user' && groups.every((group) => answer.user.groups.includes(group));
