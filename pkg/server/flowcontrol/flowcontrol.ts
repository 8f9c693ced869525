/** How much is done at a time, by class of request, so that nobody takes the server from the others. */
import { MASTERS } from '../../authentication/groups.js';
import type { User } from '../../authentication/interface.js';
import type { RequestInfo } from '../requestinfo.js';
import type { FairSeats, Leave, Leaving } from './fairseats.js';
import { fairSeats, Overloaded } from './fairseats.js';

export interface FlowLimits {
  /** Requests at a time; 0: any number. Big lists count more than once. */
  readonly reads: number;
  readonly writes: number;
  /** Watches open at a time, of which one user has at most half; 0: any number. */
  readonly watches: number;
}

/** Answers what to call when the request is over; at once where there is room. Throws or rejects: `Overloaded`. */
export type Admit = (user: User, info: RequestInfo, end?: Leaving) => Leave | Promise<Leave>;

/** By class of request, for metrics. */
export type SlotCounts = Readonly<Record<'reads' | 'writes' | 'watches', ReturnType<FairSeats['counts']>>>;

/** The slots of a process, whoever answers its requests. */
export interface FlowControl {
  /** `listBytes`: about how much a list may answer. */
  admitting(listBytes: (info: RequestInfo) => number): Admit;
  counts(): SlotCounts;
}

/** How long a request waits for its turn. */
const PATIENCE_MS = 5_000;

/** A list has one seat more for so many bytes that it may answer, up to a tenth of all seats. */
const BYTES_A_SEAT = 1024 * 1024;

const EXEMPT_PATH = /^\/(healthz|livez|readyz|metrics)(\/|$)/;
const READS = new Set(['get', 'list', 'head', 'options']);
const free: Leave = () => undefined;

export function flowControl({ reads, writes, watches }: FlowLimits): FlowControl {
  const seats = (limit: number) => fairSeats({ limit, places: limit, patienceMs: PATIENCE_MS });
  const readSeats = seats(reads);
  const writeSeats = seats(writes);
  const watch = watchCount(watches);
  const most = Math.max(1, Math.floor(reads / 10));
  const admitting: FlowControl['admitting'] = (listBytes) => (user, info, end) => {
    if (user.groups.includes(MASTERS)) return free;
    if (info.kind === 'path' && EXEMPT_PATH.test(info.path)) return free;
    if (info.verb === 'watch') return watch.open(user.name);
    if (!READS.has(info.verb)) return writeSeats.enter(user.name, 1, end);
    const extra = info.verb === 'list' ? Math.floor(listBytes(info) / BYTES_A_SEAT) : 0;
    return readSeats.enter(user.name, Math.min(1 + extra, most), end);
  };
  const counts = (): SlotCounts => ({
    reads: readSeats.counts(),
    writes: writeSeats.counts(),
    watches: { taken: watch.count(), waiting: 0 },
  });
  return { admitting, counts };
}

/** Watches last: nobody waits for one to end. */
function watchCount(limit: number): { open(user: string): Leave; count(): number } {
  const open = new Map<string, number>();
  let all = 0;
  const begin = (user: string): Leave => {
    const own = open.get(user) ?? 0;
    if (limit > 0 && (all >= limit || own >= Math.ceil(limit / 2))) throw new Overloaded();
    open.set(user, own + 1);
    all += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      all -= 1;
      const rest = (open.get(user) ?? 1) - 1;
      if (rest === 0) open.delete(user);
      else open.set(user, rest);
    };
  };
  return { open: begin, count: () => all };
}
