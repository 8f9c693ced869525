/** When requests begin: reads and writes in slices of a turn of the event loop, and connections whose requests wait send fewer. */
import type { Exchange } from '../../httpexchange.js';
import type { Newcomers } from '../../listener/newcomers.js';
import { TurnQueue } from './turnqueue.js';
import type { Flow } from './shares.js';
import { StreamLimits } from './streamlimits.js';

export interface TurnOptions {
  /** Under way at a time; 0: any number. */
  readonly reads: number;
  readonly writes: number;
  /** Of one connection of HTTP/2 at other times; undefined: its limit stays. */
  readonly streams: number | undefined;
  /** ms of a clock that only grows. */
  readonly now: () => number;
  readonly newcomers: Pick<Newcomers, 'come'> | undefined;
}

/**
 * The time in one turn of the event loop in which requests begin, in ms. A probe takes five turns, as it opens a
 * connection each time.
 */
const SLICE_MS = 5;
const TURN_TIMEOUT_MS = 2_000;
/** Queue length for each request in flight: waiting costs less than a rejection and a retry. */
const QUEUE_LENGTH = 4;
/**
 * Maximum number of requests that begin in one turn, as work at the end of a turn, such as sending answers, is not in
 * a slice.
 */
const READS_A_TURN = 48;
const WRITES_A_TURN = 12;

export class Turns {
  readonly reads: TurnQueue;
  readonly writes: TurnQueue;
  private readonly streams: StreamLimits | undefined;

  constructor({ reads, writes, streams, now, newcomers }: TurnOptions) {
    const queueOf = (limit: number, aTurn: number): TurnQueue => {
      const queueLength = limit === 0 ? Infinity : limit * QUEUE_LENGTH;
      return new TurnQueue({
        sliceMs: SLICE_MS,
        aTurn,
        queueLength,
        timeoutMs: TURN_TIMEOUT_MS,
        now,
        newcomers,
      });
    };
    this.reads = queueOf(reads, READS_A_TURN);
    this.writes = queueOf(writes, WRITES_A_TURN);
    this.streams = streams === undefined ? undefined : new StreamLimits(streams, now);
  }

  get isFull(): boolean {
    return this.reads.isFull || this.writes.isFull;
  }

  /** Calls `then` at the request's turn, or now. Throws or rejects: `Overloaded`. */
  enter<T>(
    queue: TurnQueue,
    flow: Flow,
    { request, end }: Pick<Exchange, 'request' | 'end'>,
    then: () => T | Promise<T>,
  ): T | Promise<T> {
    const turn = queue.enter(flow, end);
    if (turn === undefined) return then();
    const session = request.stream?.session;
    if (session !== undefined) this.streams?.waits(session, this.reads.waiting + this.writes.waiting);
    return turn.then(then);
  }

  /** Marks the request as long-running. */
  lasts({ request, end }: Pick<Exchange, 'request' | 'end'>): void {
    const session = request.stream?.session;
    if (session !== undefined) this.streams?.lasts(session, end);
  }
}
