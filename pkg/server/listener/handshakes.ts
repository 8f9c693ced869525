/** TLS handshakes begin a few in a turn of the event loop: many new connections at once hold up neither others nor each other. */
import type { Socket } from 'node:net';
import { onEndOfTurn } from '../ticks.js';
import { networkOf } from './networkof.js';
import type { Newcomers } from './newcomers.js';

/** Handshakes that begin in one turn. One costs as much as twenty small requests. */
const A_TURN = 4;

export class Handshakes {
  /** By network of the client, the oldest first; networks take turns. */
  private readonly waiting = new Map<string, Socket[]>();

  /** `begin` starts to read from a new connection. */
  constructor(
    private readonly newcomers: Newcomers,
    private readonly begin: (socket: Socket) => void,
  ) {}

  /** A connection was accepted. */
  add(socket: Socket): void {
    const first = this.newcomers.came();
    if (first && this.waiting.size === 0) return this.begin(socket);
    if (this.waiting.size === 0) onEndOfTurn(this);
    const network = networkOf(socket.remoteAddress ?? '');
    const line = this.waiting.get(network);
    if (line === undefined) this.waiting.set(network, [socket]);
    else line.push(socket);
  }

  atEndOfTurn(): void {
    if (!this.newcomers.come) {
      for (let left = A_TURN; left > 0 && this.waiting.size > 0; left -= 1) this.beginNext(left === 1);
    }
    if (this.waiting.size > 0) onEndOfTurn(this);
  }

  /**
   * Begins the newest, as clients that have waited long may have given up; and as the last of a turn the oldest, so
   * that none waits forever. Skips connections closed meanwhile, such as by the connection limit.
   */
  private beginNext(oldest: boolean): void {
    for (const [network, line] of this.waiting) {
      const socket = oldest ? line.shift() : line.pop();
      this.waiting.delete(network);
      if (line.length > 0) this.waiting.set(network, line);
      if (socket?.destroyed === false) return this.begin(socket);
    }
  }
}
