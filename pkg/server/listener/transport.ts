/** Connection state that Node does not expose. */
import type { Socket } from 'node:net';

/** Of a connection that moves, in bytes a second. */
export const LEAST_RATE = 8 * 1024;

interface Handle {
  readonly _parent?: Handle | null;
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
  getpeername?(out: object): number;
}

/** With the members that Node's types omit. */
type Connection = Socket & { readonly _handle?: Handle | null; readonly _parent?: Socket | null };

/** Below TLS. */
const transportOf = ({ _handle: handle }: Connection): Handle | undefined =>
  handle?._parent ?? handle ?? undefined;

/** Bytes that wait in this process. */
export const queuedOn = (socket: Socket): number => transportOf(socket)?.writeQueueSize ?? 0;

/** Bytes sent, without those buffered in this process. */
export const sentOver = (socket: Socket): number =>
  (transportOf(socket)?.bytesWritten ?? 0) - queuedOn(socket);

/** Whether the system has closed the connection: Node does not notice a reset during a write. */
export const isGone = (socket: Socket): boolean => (transportOf(socket)?.getpeername?.({}) ?? 0) < 0;

/** The connection below TLS. */
export const below = ({ _parent: parent }: Connection): Socket | undefined => parent ?? undefined;
