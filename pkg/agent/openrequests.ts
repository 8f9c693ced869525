/** Requests that last are judged again while they do: a watch or an exec ends with its token. */
import type { Authentication } from '../authentication/interface.js';
import type { ExchangeEnd } from '../server/listener/exchangeend.js';
import type { AuthenticationOptions } from './interface.js';

export interface OpenRequest {
  /** As it came. */
  readonly authorization: string | undefined;
  /** Of whom it was passed on as. */
  readonly groups: readonly string[];
  /** Whether what its path leads to is still there. */
  readonly still: () => boolean;
  readonly end: ExchangeEnd;
}

export interface OpenRequests {
  add(request: OpenRequest): void;
  /**
   * Ends those whose token has ended or was revoked, whose user has left a team that they go on as, and whose space is gone; and
   * all where it is not known which. `now` of `performance`.
   */
  look(now: number): Promise<void>;
}

export function openRequests({ authenticate, freshness, mostAgeMs }: AuthenticationOptions): OpenRequests {
  const open = new Set<OpenRequest>();
  return {
    add(request) {
      open.add(request);
      request.end.after(() => open.delete(request));
    },
    async look(now) {
      const stale = freshness.age(now) > mostAgeMs;
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
