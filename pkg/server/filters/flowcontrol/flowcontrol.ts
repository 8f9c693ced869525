/** Limits requests in flight, by class of request, so that no user can exhaust the server. */
import { PRIVILEGED_GROUP } from '../../../authentication/groups.js';
import type { User } from '../../../authentication/interface.js';
import type { Exchange } from '../../httpexchange.js';
import type { Newcomers } from '../../listener/newcomers.js';
import type { RequestInfo } from '../../requestinfo.js';
import { BodyBudget } from './bodybudget.js';
import { FairSlots, type Release, type SlotCount } from './fairslots.js';
import type { TurnQueue } from './turnqueue.js';
import { flowOf, type Flow } from './shares.js';
import { NO_SLOT, slotOf, type Slot } from './slot.js';
import { Turns } from './turns.js';
import { watchSlots } from './watchslots.js';

export interface FlowLimits {
  /** Maximum number of requests, an eighth of it for each user; 0: no limit. Large lists count more than once. */
  readonly reads: number;
  readonly writes: number;
  /** Watches open at a time; 0: any number. */
  readonly watches: number;
  /** Maximum number of streams of an HTTP/2 connection, lowered while many requests wait; undefined: never lowered. */
  readonly streams?: number | undefined;
}

/**
 * Returns the slot of a request, at once if one is free. `client`: the authenticated user, without impersonation.
 * Throws or rejects: `Overloaded`.
 */
export type Admit = (
  client: User,
  info: RequestInfo,
  exchange: Pick<Exchange, 'request' | 'end'>,
) => Slot | Promise<Slot>;

/** By class of request, for metrics. */
export type SlotCounts = Readonly<Record<'reads' | 'writes' | 'watches', SlotCount>>;

/** Estimates of requests before they are handled. */
interface Estimates {
  /** About how much a list may answer. */
  readonly listBytes: (info: RequestInfo) => number;
  /** Whether a request is long-running, besides watches; absent: none is. */
  readonly isLongRunning?: (info: RequestInfo) => boolean;
}

/** The slots of a process. */
export interface FlowControl {
  admitting(estimates: Estimates): Admit;
  /** Whether the queue is so full that requests are rejected. Cheap. */
  isFull(): boolean;
  /** Whether that request would be turned away, before anything is done about it. */
  turnsAway(client: User, info: RequestInfo, request: Exchange['request']): boolean;
  counts(): SlotCounts;
  readonly bodies: Pick<BodyBudget, 'counts'>;
}

/** How long a request waits in the queue. */
const QUEUE_TIMEOUT_MS = 5_000;

/** A list takes another slot for this many estimated bytes, up to a tenth of all slots and half of its share. */
const BYTES_A_SLOT = 1024 * 1024;
const PART_OF_A_LIST = 1 / 16;

/** Bodies that are under way, and their bytes, at a time. */
const PENDING_BODIES = { bodies: 1024, bytes: 256 * 1024 * 1024 };

const EXEMPT_PATH = /^\/(healthz|livez|readyz|metrics)(\/|$)/;
const READS = new Set(['get', 'list', 'head', 'options']);

/** Exempts health checks and administrators, as the level `exempt` of kube-apiserver does. */
const isExempt = ({ groups }: User, info: RequestInfo): boolean =>
  groups.includes(PRIVILEGED_GROUP) || (info.kind === 'path' && EXEMPT_PATH.test(info.path));

function countOf(slots: FairSlots, { waiting }: TurnQueue): SlotCount {
  const count = slots.counts();
  return { ...count, waiting: count.waiting + waiting };
}

/** `now`: ms of a clock that only grows. */
export function flowControl(
  { reads, writes, watches, streams }: FlowLimits,
  now: () => number = () => performance.now(),
  newcomers?: Pick<Newcomers, 'come'>,
): FlowControl {
  const slots = (limit: number) => new FairSlots({ limit, queueLength: limit, timeoutMs: QUEUE_TIMEOUT_MS });
  const readSlots = slots(reads);
  const writeSlots = slots(writes);
  const watch = watchSlots(watches);
  const bodies = new BodyBudget(PENDING_BODIES);
  const maxOfAList = Math.max(1, Math.floor(reads * PART_OF_A_LIST));

  function take(from: FairSlots, flow: Flow, count: number, end: Exchange['end']): Slot | Promise<Slot> {
    const enter = (): Release | Promise<Release> => from.enter(flow, count, end);
    const entered = enter();
    if (!(entered instanceof Promise)) return slotOf(flow, entered, enter, bodies);
    return entered.then((release) => slotOf(flow, release, enter, bodies));
  }

  const turns = new Turns({ reads, writes, streams, now, newcomers });
  const queueOfVerb = (verb: string): TurnQueue =>
    READS.has(verb) || verb === 'watch' ? turns.reads : turns.writes;
  const flowOfRequest = (client: User, { socket }: Exchange['request']): Flow =>
    flowOf(client, () => socket.remoteAddress ?? '');

  return {
    isFull: () => turns.isFull,
    turnsAway: (client, info, request) =>
      !isExempt(client, info) && queueOfVerb(info.verb).turnsAway(flowOfRequest(client, request)),
    admitting: (estimates) => (client, info, exchange) => {
      if (isExempt(client, info)) return NO_SLOT;
      const flow = flowOfRequest(client, exchange.request);
      const { end } = exchange;
      if (info.verb === 'watch' || estimates.isLongRunning?.(info) === true) {
        turns.lasts(exchange);
        return turns.enter(turns.reads, flow, exchange, () =>
          slotOf(flow, watch.open(flow, end), () => watch.open(flow, end), bodies),
        );
      }
      if (!READS.has(info.verb)) {
        return turns.enter(turns.writes, flow, exchange, () => take(writeSlots, flow, 1, end));
      }
      return turns.enter(turns.reads, flow, exchange, () => {
        const extra = info.verb === 'list' ? Math.floor(estimates.listBytes(info) / BYTES_A_SLOT) : 0;
        return take(readSlots, flow, Math.min(1 + extra, maxOfAList), end);
      });
    },
    counts: () => ({
      reads: countOf(readSlots, turns.reads),
      writes: countOf(writeSlots, turns.writes),
      watches: { taken: watch.count(), waiting: 0 },
    }),
    bodies,
  };
}
