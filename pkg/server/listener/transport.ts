/** What Node does not tell of a connection by itself. */
import type { Socket } from 'node:net';

/** Of a connection that moves, in bytes a second. */
export const LEAST_RATE = 8 * 1024;

interface Handle {
  readonly _parent?: Handle | null;
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
  getpeername?(out: object): number;
}

/** With what Node's types leave out of a connection. */
type Connection = Socket & { readonly _handle?: Handle | null; readonly _parent?: Socket | null };

/** Below TLS. */
const transportOf = ({ _handle: handle }: Connection): Handle | undefined =>
  handle?._parent ?? handle ?? undefined;

/** Bytes that wait in this process. */
export const queuedOn = (socket: Socket): number => transportOf(socket)?.writeQueueSize ?? 0;

/** Bytes that have gone out; those that wait in this process are not counted. */
export const sentOver = (socket: Socket): number =>
  (transportOf(socket)?.bytesWritten ?? 0) - queuedOn(socket);

/** Whether the system has no such connection any more: Node is not told of a reset that a write met. */
export const isGone = (socket: Socket): boolean => (transportOf(socket)?.getpeername?.({}) ?? 0) < 0;

/** The connection below TLS. */
export const below = ({ _parent: parent }: Connection): Socket | undefined => parent ?? undefined;
