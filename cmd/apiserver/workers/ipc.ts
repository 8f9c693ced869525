/** Messages between two processes, in order. Those of one turn of the event loop travel together. */

/** A process that this one has started, or this process towards the one that started it. */
export interface Peer {
  send?(message: unknown, handle: undefined, options: undefined, sent: () => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect' | 'exit', listener: () => void): unknown;
}

export class Ipc<Sent, Received> {
  private waiting: Sent[] = [];
  private readonly listeners: ((message: Received) => void)[] = [];

  constructor(private readonly peer: Peer) {
    peer.on('message', (messages) => {
      // The other process is of this program, and sends them by `flush`.
      for (const message of messages as readonly Received[])
        for (const listener of this.listeners) listener(message);
    });
  }

  /** Dropped where the other process has gone, of which {@link closed} tells. */
  send(message: Sent): void {
    if (this.waiting.push(message) === 1) setImmediate(() => this.flush());
  }

  /** Sends what waits. */
  flush(): void {
    const messages = this.waiting;
    if (messages.length === 0) return;
    this.waiting = [];
    // Without a callback, a process that has gone is an 'error' event.
    this.peer.send?.(messages, undefined, undefined, () => undefined);
  }

  receive(listener: (message: Received) => void): void {
    this.listeners.push(listener);
  }

  closed(listener: () => void): void {
    let called = false;
    const once = (): void => {
      if (!called) listener();
      called = true;
    };
    // Node does not tell of 'disconnect' where a connection was being handed over.
    this.peer.once('disconnect', once);
    this.peer.once('exit', once);
  }
}
