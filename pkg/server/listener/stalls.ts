/** Answers that their clients do not take: each holds a slot and memory, and is cut off. */
import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { NOWHERE, UnorderedSet, type Member } from '../../apimachinery/unorderedset.js';
import type { ExchangeEnd } from '../exchangeend.js';
import { LEAST_RATE, sentOver } from './transport.js';

/** An answer without progress for this time is cut. */
export const STALLED_MS = 60_000;
/** Fewer bytes of a connection in {@link STALLED_MS} are no progress. */
const LEAST_BYTES = 32 * 1024;

/** One exchange, as the looks at it go. */
interface Looked extends Member {
  readonly end: ExchangeEnd;
  readonly response: Pick<ServerResponse, 'headersSent'>;
  /** Of HTTP/2. */
  readonly stream: Pick<ServerHttp2Stream, 'bufferSize'> | undefined;
  readonly socket: Socket;
  /** The time of the last progress, in ms, and the sent and waiting bytes at that time. */
  since: number;
  sent: number;
  waiting: number;
}

export interface Stalls {
  add(exchange: Pick<Looked, 'end' | 'response' | 'stream' | 'socket'>): void;
  /** Cuts stalled answers. `now` in ms. */
  check(now: number): void;
}

export function createStalls(): Stalls {
  const open = new UnorderedSet<Looked>();
  return {
    add({ end, response, stream, socket }) {
      const looked: Looked = {
        end,
        response,
        stream,
        socket,
        since: -1,
        sent: 0,
        waiting: 0,
        place: NOWHERE,
      };
      open.add(looked);
      end.after(() => open.delete(looked));
    },
    check(now) {
      for (const one of open) if (stalled(one, now)) one.end.cut();
    },
  };
}

function stalled(one: Looked, now: number): boolean {
  const { end, response, stream } = one;
  if (end.lasting || !response.headersSent) {
    one.since = -1;
    return false;
  }
  const sent = sentOver(one.socket);
  const waiting = stream?.bufferSize ?? 0;
  const connectionMoved = sent - one.sent >= LEAST_BYTES;
  const moved = one.since < 0 || (stream === undefined ? connectionMoved : waiting !== one.waiting);
  if (moved) {
    Object.assign(one, { since: now, sent, waiting });
    return false;
  }
  const allowedMs = STALLED_MS + (connectionMoved ? (waiting / LEAST_RATE) * 1000 : 0);
  return now - one.since >= allowedMs;
}
