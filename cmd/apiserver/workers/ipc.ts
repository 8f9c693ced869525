/** Ordered messages between two processes. Those of one turn of the event loop are sent together. */
import { soon } from '../../../pkg/apimachinery/eventloop/turns.js';

/** A process that this one has started, or the one that started this process. */
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
      // The other process runs this program, and sends messages by `flush`.
      for (const message of messages as readonly Received[])
        for (const listener of this.listeners) listener(message);
    });
  }

  /** Drops the message if the other process has ended, which {@link closed} reports. */
  send(message: Sent): void {
    if (this.waiting.push(message) === 1) soon(() => this.flush());
  }

  /** Sends the waiting messages. */
  flush(): void {
    const messages = this.waiting;
    if (messages.length === 0) return;
    this.waiting = [];
    // Without a callback, a process that has ended causes an 'error' event.
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
    // Node emits no 'disconnect' while a connection is being handed over.
    this.peer.once('disconnect', once);
    this.peer.once('exit', once);
  }
}
