/** Connections of HTTP/2 that nothing comes of any more: without streams for a while, or with a peer that does not answer. */
import type { ServerHttp2Session } from 'node:http2';
import { endSafely } from './sessionend.js';
import { LEAST_RATE, queuedOn, sentOver } from './transport.js';

export interface Sessions {
  add(session: ServerHttp2Session): void;
  /**
   * Checks each session; called every {@link CHECK_INTERVAL_MS}. `now` in ms. Closes sessions without streams, regardless of
   * other frames, and those with an unanswered PING. After the first half of a header block a client can send nothing
   * else, not even the answer (RFC 9113, 6.10), and a vanished peer sends nothing at all.
   */
  checkAll(now: number): void;
  /** Whether a stream is open. */
  busy(session: ServerHttp2Session): boolean;
  /** Each ends when its streams have. */
  close(): void;
  destroy(): void;
}

/** Interval between checks, in ms. */
export const CHECK_INTERVAL_MS = 5_000;
/** Incomplete headers do not count as a stream. */
const IDLE_MS = 75_000;
/** Time between the GOAWAY and the end of the connection. */
const GONE_MS = 5_000;
/**
 * Checks without a new stream before a PING is sent, and before the connection is closed: 30 s and 75 s. Counted in
 * checks, as the peer cannot answer while this process does not run.
 */
const QUIET_CHECKS = 6;
const LOST_CHECKS = 15;

/**
 * Looks at which frames stay in line with nothing in their way: after an error of the client nghttp2 waits for the end
 * of the connection, and Node neither ends it nor reads on, so that it does not hear of the client's end either.
 */
const STUCK_CHECKS = 2;

interface State {
  streams: number;
  /** When its last stream ended, in ms. */
  idleSince: number;
  /** Looks since a stream began or a PING was answered. */
  quiet: number;
  /** Bytes sent at the last check while a PING was open. */
  sent: number;
  /** Consecutive checks at which it was stuck, and the bytes sent at the last one. */
  stuck: number;
  out: number;
}

export function sessionTracking(): Sessions {
  const sessions = new Map<ServerHttp2Session, State>();

  function check(session: ServerHttp2Session, state: State, now: number): void {
    const idle = state.streams === 0 ? now - state.idleSince : 0;
    if (state.quiet < QUIET_CHECKS || !isReading(session, state)) state.quiet += 1;
    state.stuck = isStuck(session, state) ? state.stuck + 1 : 0;
    const lost = state.quiet >= LOST_CHECKS || state.stuck >= STUCK_CHECKS;
    if (lost || idle >= IDLE_MS + GONE_MS) session.destroy();
    else if (idle >= IDLE_MS) session.close();
    else if (state.quiet === QUIET_CHECKS) ping(session, state);
  }

  return {
    add(session) {
      const state: State = { streams: 0, idleSince: performance.now(), quiet: 0, sent: 0, stuck: 0, out: 0 };
      sessions.set(session, state);
      session.on('stream', (stream) => {
        state.streams += 1;
        state.quiet = 0;
        stream.once('close', () => {
          state.streams -= 1;
          if (state.streams === 0) state.idleSince = performance.now();
        });
      });
      endSafely(session, () => state.streams);
      session.once('close', () => sessions.delete(session));
    },
    checkAll(now) {
      for (const [session, state] of sessions) check(session, state, now);
    },
    busy: (session) => (sessions.get(session)?.streams ?? 0) > 0,
    close() {
      for (const session of sessions.keys()) session.close();
    },
    destroy() {
      for (const session of sessions.keys()) session.destroy();
    },
  };
}

function isStuck(session: ServerHttp2Session, state: State): boolean {
  if (state.streams === 0 || session.destroyed) return false;
  const out = sentOver(session.socket);
  const moved = out !== state.out;
  state.out = out;
  return !moved && queuedOn(session.socket) === 0 && (session.state.outboundQueueSize ?? 0) > 0;
}

/** Whether the peer reads the data before the PING. */
function isReading({ socket, destroyed }: ServerHttp2Session, state: State): boolean {
  if (destroyed) return false;
  const sent = sentOver(socket);
  const moved = sent - state.sent >= (LEAST_RATE * CHECK_INTERVAL_MS) / 1000;
  if (moved) state.sent = sent;
  return moved && queuedOn(socket) > 0;
}

function ping(session: ServerHttp2Session, state: State): void {
  if (session.destroyed) return;
  state.sent = sentOver(session.socket);
  session.ping((error) => {
    if (error === null) state.quiet = 0;
  });
}
