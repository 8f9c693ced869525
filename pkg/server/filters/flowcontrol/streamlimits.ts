/**
 * Lowers the stream limit of HTTP/2 connections while many requests wait: further requests wait in the clients, where
 * they cost nothing.
 */
import type { ServerHttp2Session } from 'node:http2';
import type { ExchangeEnd } from '../../exchangeend.js';

/** A connection of HTTP/2. */
export type Session = Pick<ServerHttp2Session, 'settings' | 'closed' | 'destroyed'>;

/** Number of waiting requests at which limits are lowered, and below which they are restored. */
const CROWDED = { from: 200, until: 100 };
/** Streams of all connections together whose requests wait, and of each at least. */
const STREAMS = { together: 400, least: 8 };
/** Interval between checks, and for how long a connection keeps its limit after its last request waited, in ms. */
const CHECK_INTERVAL_MS = 50;
const KEEP_MS = 1_000;

interface Lowered {
  /** The last limit sent to the client, and whether the client acknowledged it. */
  limit: number;
  known: boolean;
  /** When one of its requests had to wait. */
  waited: number;
}

export class StreamLimits {
  private readonly lowered = new Map<Session, Lowered>();
  /** Watches and the like, which hold their streams: they leave as many to others as without them. */
  private readonly lasting = new WeakMap<Session, number>();
  private timer: NodeJS.Timeout | undefined;

  /** `usual`: the limit of a connection at other times. `now` in ms. */
  constructor(
    private readonly usual: number,
    private readonly now: () => number,
  ) {}

  /** A request waits, one of `waiting` in all. */
  waits(session: Session, waiting: number): void {
    const lowered = this.lowered.get(session);
    if (waiting < (lowered === undefined ? CROWDED.from : CROWDED.until)) return;
    if (lowered !== undefined) return void (lowered.waited = this.now());
    this.lowered.set(session, { limit: this.usual, known: true, waited: this.now() });
    this.timer ??= setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
  }

  /** Marks a request as long-running. */
  lasts(session: Session, end: Pick<ExchangeEnd, 'after'>): void {
    this.lasting.set(session, this.lastingOn(session) + 1);
    end.after(() => this.lasting.set(session, this.lastingOn(session) - 1));
  }

  /** Sends changed limits to clients; called every {@link CHECK_INTERVAL_MS} while some are lowered. */
  check(): void {
    const latest = this.now() - KEEP_MS;
    const each = Math.max(STREAMS.least, Math.floor(STREAMS.together / this.lowered.size));
    for (const [session, lowered] of this.lowered) {
      const over = lowered.waited <= latest;
      const limit = over ? this.usual : Math.min(this.usual, each + this.lastingOn(session));
      if (session.closed || session.destroyed) this.lowered.delete(session);
      // Node ends a connection whose client leaves many settings unanswered.
      else if (!lowered.known) continue;
      else if (limit !== lowered.limit) tell(session, lowered, limit);
      else if (over) this.lowered.delete(session);
    }
    if (this.lowered.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private lastingOn(session: Session): number {
    return this.lasting.get(session) ?? 0;
  }
}

function tell(session: Session, lowered: Lowered, maxConcurrentStreams: number): void {
  lowered.limit = maxConcurrentStreams;
  lowered.known = false;
  session.settings({ maxConcurrentStreams }, (error) => {
    lowered.known = error === null;
  });
}
