/**
 * All requests in flight. Each ends soon after its credential expires or its right is revoked: after a change that may
 * have ended credentials or rights all are revalidated, in slices, and all are authenticated again at an interval, for
 * changes that are not announced.
 */
import { UnorderedSet } from '../../apimachinery/unorderedset.js';
import type { Exchange } from '../httpexchange.js';
import { nextTurn } from '../ticks.js';
import type { AccessRevision } from './accessrevision.js';
import type { RequestStages, Permitted } from './openrequest.js';
import { OpenRequest } from './openrequest.js';
import { shareAnswers } from './sharedanswers.js';

export interface OpenRequests {
  /** Called before authentication. */
  begin(exchange: Exchange): OpenRequest;
  /** The request is authorized; from here on it is revalidated, until it is closed. */
  permit(request: OpenRequest, permitted: Permitted): void;
  close(request: OpenRequest): void;
  readonly size: number;
}

/** Interval of authentication, in ms. With the slices, a request ends well within two seconds. */
const EVERY_MS = 750;
/** Delay from a change to the revalidation of idle requests, in ms: changes come in bursts. */
const SOON_MS = 100;
/** Length of a slice before other work runs, in ms. */
const SLICE_MS = 3;
/** Maximum number of concurrent revalidations that wait for other servers. */
const MOST_WAITING = 64;

export function createOpenRequests(access: AccessRevision, again: RequestStages): OpenRequests {
  const open = new UnorderedSet<OpenRequest>();
  const shared = shareAnswers(again);
  let timer: NodeJS.Timeout | undefined;
  let due = Infinity;
  let sweeping = false;

  /** Nothing runs while nothing is open. */
  function arm(ms: number): void {
    if (open.size === 0 || sweeping) return;
    const at = performance.now() + ms;
    if (timer !== undefined && due <= at) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => void sweep(), ms).unref();
  }
  access.onChange(() => arm(SOON_MS));

  async function sweep(): Promise<void> {
    timer = undefined;
    due = Infinity;
    sweeping = true;
    const began = performance.now();
    const revision = access.current();
    try {
      await askAll(began);
    } finally {
      shared.end();
      sweeping = false;
    }
    arm(revision === access.current() ? EVERY_MS : SOON_MS);
  }

  /** Whatever was found out before others ran may have changed. */
  async function pause(until: Promise<unknown>): Promise<void> {
    shared.end();
    await until;
    shared.begin();
  }

  async function askAll(began: number): Promise<void> {
    const waiting = new Set<Promise<void>>();
    let sliceEnd = began + SLICE_MS;
    shared.begin();
    for (const request of open) {
      // Revalidated by its own response a moment ago, or new.
      if (request.isCurrent() && !request.rightsMayHaveChanged && began - request.asked < EVERY_MS / 2)
        continue;
      const outcome = request.revalidate();
      if (outcome instanceof Promise) {
        const one: Promise<void> = outcome
          .then((late) => late === 'valid' && request.onValid())
          .then(() => void waiting.delete(one));
        waiting.add(one);
        if (waiting.size >= MOST_WAITING) await pause(Promise.race(waiting));
      } else if (outcome === 'valid') request.onValid();
      if (performance.now() < sliceEnd) continue;
      await pause(nextTurn());
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  return {
    begin: (exchange) => new OpenRequest(access, shared.stages, exchange),
    permit(request, permitted) {
      request.permit(permitted);
      open.add(request);
      arm(EVERY_MS);
    },
    close(request) {
      open.delete(request);
      request.close();
    },
    get size() {
      return open.size;
    },
  };
}
