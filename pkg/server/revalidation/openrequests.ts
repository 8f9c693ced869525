/**
 * All requests under way: each ends soon after its caller could no longer make it. Where something changed that rights or
 * credentials rest on they are asked again in slices, and who makes each is asked again all the time, for what nobody
 * tells of.
 */
import { UnorderedSet } from '../../apimachinery/unorderedset.js';
import type { Exchange } from '../httpexchange.js';
import { nextTurn } from '../ticks.js';
import type { AccessRevision } from './accessrevision.js';
import type { AskAgain, Permitted } from './openrequest.js';
import { OpenRequest } from './openrequest.js';

export interface OpenRequests {
  /** Before anything is asked about its caller. */
  begin(exchange: Exchange): OpenRequest;
  /** From here on it is asked again, until it is closed. */
  permit(request: OpenRequest, permitted: Permitted): void;
  close(request: OpenRequest): void;
  readonly size: number;
}

/** Who makes a request is asked again this often, in ms: with the slices it is over well before two seconds are. */
const EVERY_MS = 750;
/** After a change, those that send nothing are asked again this soon, in ms: changes come in company. */
const SOON_MS = 100;
/** Other work gets its turn after so long, in ms. */
const SLICE_MS = 3;
/** So many wait for answers from elsewhere at a time. */
const MOST_WAITING = 64;

export function createOpenRequests(access: AccessRevision, again: AskAgain): OpenRequests {
  const open = new UnorderedSet<OpenRequest>();
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
  access.onMoved(() => arm(SOON_MS));

  async function sweep(): Promise<void> {
    timer = undefined;
    due = Infinity;
    sweeping = true;
    const began = performance.now();
    const revision = access.current();
    try {
      await askAll(began);
    } finally {
      sweeping = false;
    }
    arm(revision === access.current() ? EVERY_MS : SOON_MS);
  }

  async function askAll(began: number): Promise<void> {
    const waiting = new Set<Promise<void>>();
    let sliceEnd = began + SLICE_MS;
    for (const request of open) {
      // Asked by its own answer a moment ago, or come since.
      if (request.isCurrent() && !request.isDoubted && began - request.asked < EVERY_MS / 2) continue;
      const standing = request.recheck();
      if (standing instanceof Promise) {
        const one: Promise<void> = standing
          .then((late) => late === 'holds' && request.onHolds())
          .then(() => void waiting.delete(one));
        waiting.add(one);
        if (waiting.size >= MOST_WAITING) await Promise.race(waiting);
      } else if (standing === 'holds') request.onHolds();
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  return {
    begin: (exchange) => new OpenRequest(access, again, exchange),
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
