/** How much is done at a time, by class of request, so that nobody takes the server from the others. */
import { PRIVILEGED_GROUP } from '../../../authentication/groups.js';
import type { User } from '../../../authentication/interface.js';
import type { Exchange } from '../../httpexchange.js';
import type { RequestInfo } from '../../requestinfo.js';
import type { BodyBudget } from './bodybudget.js';
import { bodyBudget } from './bodybudget.js';
import type { Release, SlotCount } from './fairslots.js';
import { FairSlots } from './fairslots.js';
import type { Pace } from './pace.js';
import { pace } from './pace.js';
import type { Flow } from './shares.js';
import { flowOf } from './shares.js';
import type { Slot } from './slot.js';
import { NO_SLOT, slotOf } from './slot.js';
import { watchSlots } from './watchslots.js';

export interface FlowLimits {
  /** Requests at a time, of which one user has an eighth; 0: any number. Big lists count more than once. */
  readonly reads: number;
  readonly writes: number;
  /** Watches open at a time; 0: any number. */
  readonly watches: number;
}

/**
 * Answers the slot of a request, at once where there is room. `client`: who proved to be it, whomever it acts as. Throws or
 * rejects: `Overloaded`.
 */
export type Admit = (
  client: User,
  info: RequestInfo,
  exchange: Pick<Exchange, 'request' | 'end'>,
) => Slot | Promise<Slot>;

/** By class of request, for metrics. */
export type SlotCounts = Readonly<Record<'reads' | 'writes' | 'watches', SlotCount>>;

/** What requests come to, before they are answered. */
export interface Estimates {
  /** About how much a list may answer. */
  readonly listBytes: (info: RequestInfo) => number;
  /** Whether a request lasts as long as its client likes, besides watches; absent: none does. */
  readonly isLongRunning?: (info: RequestInfo) => boolean;
}

/** The slots of a process, whoever answers its requests. */
export interface FlowControl {
  admitting(estimates: Estimates): Admit;
  counts(): SlotCounts;
  readonly bodies: Pick<BodyBudget, 'counts'>;
}

/** How long a request waits for its turn. */
const QUEUE_TIMEOUT_MS = 5_000;

/** A list has one slot more for so many bytes that it may answer, up to a tenth of all, and to half of its share. */
const BYTES_A_SLOT = 1024 * 1024;
const PART_OF_A_LIST = 1 / 16;

/** Bodies that are under way, and their bytes, at a time. */
const PENDING_BODIES = { bodies: 1024, bytes: 256 * 1024 * 1024 };

/** Requests that begin in one turn of the event loop. */
const READS_A_TURN = { ofOne: 32, ofAll: 48 };
const WRITES_A_TURN = { ofOne: 8, ofAll: 12 };

const EXEMPT_PATH = /^\/(healthz|livez|readyz|metrics)(\/|$)/;
const READS = new Set(['get', 'list', 'head', 'options']);

export function flowControl({ reads, writes, watches }: FlowLimits): FlowControl {
  const slots = (limit: number) => new FairSlots({ limit, places: limit, patienceMs: QUEUE_TIMEOUT_MS });
  const readSlots = slots(reads);
  const writeSlots = slots(writes);
  const watch = watchSlots(watches);
  const bodies = bodyBudget(PENDING_BODIES);
  const mostOfAList = Math.max(1, Math.floor(reads * PART_OF_A_LIST));

  function take(from: FairSlots, flow: Flow, count: number, end: Exchange['end']): Slot | Promise<Slot> {
    const enter = (): Release | Promise<Release> => from.enter(flow, count, end);
    const entered = enter();
    if (!(entered instanceof Promise)) return slotOf(flow, entered, enter, bodies);
    return entered.then((release) => slotOf(flow, release, enter, bodies));
  }

  const readPace = pace(READS_A_TURN);
  const writePace = pace(WRITES_A_TURN);
  function inTurn(paced: Pace, { share }: Flow, then: () => Slot | Promise<Slot>): Slot | Promise<Slot> {
    return paced(share)?.then(then) ?? then();
  }

  return {
    admitting: (estimates) => (client, info, exchange) => {
      if (client.groups.includes(PRIVILEGED_GROUP)) return NO_SLOT;
      if (info.kind === 'path' && EXEMPT_PATH.test(info.path)) return NO_SLOT;
      const flow = flowOf(client, () => exchange.request.socket.remoteAddress ?? '');
      const { end } = exchange;
      if (info.verb === 'watch' || estimates.isLongRunning?.(info) === true) {
        return inTurn(readPace, flow, () =>
          slotOf(flow, watch.open(flow, end), () => watch.open(flow, end), bodies),
        );
      }
      if (!READS.has(info.verb)) {
        return inTurn(writePace, flow, () => take(writeSlots, flow, 1, end));
      }
      const extra = info.verb === 'list' ? Math.floor(estimates.listBytes(info) / BYTES_A_SLOT) : 0;
      const count = Math.min(1 + extra, mostOfAList);
      return inTurn(readPace, flow, () => take(readSlots, flow, count, end));
    },
    counts: () => ({
      reads: readSlots.counts(),
      writes: writeSlots.counts(),
      watches: { taken: watch.count(), waiting: 0 },
    }),
    bodies,
  };
}
