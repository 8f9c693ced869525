/** A port over a Unix socket: each message is its length in 4 bytes, then the output of `v8.serialize`. */
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { Port } from './messages.js';

const LENGTH_BYTES = 4;
/** Pages of scans and batches of watches are far smaller; the other end belongs to the same user. */
const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

/** The port closes with the socket. */
export function socketPort<Sent, Received>(socket: Socket): Port<Sent, Received> {
  // 'close' follows.
  socket.on('error', () => undefined);
  return {
    post(message) {
      if (socket.destroyed) return;
      const bytes = serialize(message);
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(bytes.length);
      socket.cork();
      socket.write(length);
      socket.write(bytes);
      socket.uncork();
    },
    receive(listener) {
      const messages = new Messages();
      // The other end runs this program.
      const messageOf: (bytes: Buffer) => Received = deserialize;
      socket.on('data', (piece: Buffer) => {
        try {
          for (const bytes of messages.from(piece)) listener(messageOf(bytes));
        } catch {
          socket.destroy();
        }
      });
    },
    closed: (listener) => void socket.once('close', listener),
  };
}

/** Reassembles messages from chunks. */
class Messages {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** The number of bytes needed to continue. */
  private needed = LENGTH_BYTES;

  /** Throws RangeError for a message that is too long. */
  *from(piece: Buffer): Generator<Buffer> {
    this.pieces.push(piece);
    this.bytes += piece.length;
    while (this.bytes >= this.needed) {
      const all = this.pieces.length === 1 ? piece : Buffer.concat(this.pieces);
      const end = LENGTH_BYTES + all.readUInt32BE(0);
      if (end > MAX_MESSAGE_BYTES) throw new RangeError('a message is too long');
      const whole = all.length >= end;
      this.keep(whole ? all.subarray(end) : all, whole ? LENGTH_BYTES : end);
      if (whole) yield all.subarray(LENGTH_BYTES, end);
      piece = this.pieces[0]!;
    }
  }

  private keep(rest: Buffer, needed: number): void {
    this.pieces = [rest];
    this.bytes = rest.length;
    this.needed = needed;
  }
}
