/** Requests over one connection of HTTP/2 that cost next to nothing: with Node's own client the generator would be what limits. */
import { connect, type TLSSocket } from 'node:tls';
import { headerBlock, statusOf, type Caller } from './headers.js';
import type { Wire, WireCall } from './wire.js';

const [DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE] = [0, 1, 3, 4, 6, 7, 8];
const [END_STREAM, ACK, END_HEADERS] = [1, 1, 4];
const CANCEL = 8;
const HEAD = 9;
/** Of the connection, as the server begins with it. */
const FIRST_WINDOW = 65_535;
const GREATEST_WINDOW = 2 ** 31 - 1;

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  payload.copy(bytes, HEAD);
  return bytes;
}
const NOTHING = Buffer.alloc(0);
/** No table for answers, no pushes, and all of every answer at once. */
const OPENING = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(SETTINGS, 0, 0, Buffer.from([0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff])),
  frame(WINDOW_UPDATE, 0, 0, uint32(GREATEST_WINDOW - FIRST_WINDOW)),
]);

export class Http2Wire implements Wire {
  private readonly socket: TLSSocket;
  private readonly caller: Caller;
  private readonly answered = new Map<number, (code: number) => void>();
  /** Frames that leave together. */
  private frames: Buffer[] = [OPENING];
  /** Bodies that the connection has no room for. */
  private readonly bodies: { readonly stream: number; readonly body: Buffer }[] = [];
  private room = FIRST_WINDOW;
  private taken = 0;
  private next = 1;
  private most = 100;
  private rest: Buffer = NOTHING;
  /** What is left of a frame of DATA, and what its end means. */
  private skip = 0;
  private ends = 0;
  private codes = new Map<number, number>();
  closed = false;

  constructor(port: number, token: string) {
    this.caller = { authority: `127.0.0.1:${port}`, token };
    this.socket = connect({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => this.end());
    process.nextTick(() => this.flush());
  }

  get full(): boolean {
    return this.answered.size >= this.most;
  }

  send({ method, path, body }: WireCall, answered: (code: number) => void): () => void {
    const stream = this.next;
    this.next += 2;
    const caller = stream === 1 ? this.caller : undefined;
    const flags = END_HEADERS | (body === undefined ? END_STREAM : 0);
    this.answered.set(stream, answered);
    this.write(frame(HEADERS, flags, stream, headerBlock(method, path, body !== undefined, caller)));
    if (body !== undefined) {
      this.bodies.push({ stream, body });
      this.sendBodies();
    }
    return () => {
      if (!this.answered.delete(stream)) return;
      this.codes.delete(stream);
      this.write(frame(RST_STREAM, 0, stream, uint32(CANCEL)));
    };
  }

  close(): void {
    this.socket.destroy();
  }

  private end(): void {
    this.closed = true;
    for (const answered of this.answered.values()) answered(0);
    this.answered.clear();
  }

  private sendBodies(): void {
    while (this.bodies[0] !== undefined) {
      const { stream, body } = this.bodies[0];
      const isWanted = this.answered.has(stream);
      if (isWanted && this.room < body.length) return;
      this.bodies.shift();
      if (!isWanted) continue;
      this.room -= body.length;
      this.write(frame(DATA, END_STREAM, stream, body));
    }
  }

  private write(bytes: Buffer): void {
    if (this.frames.push(bytes) === 1) process.nextTick(() => this.flush());
  }

  private flush(): void {
    if (!this.closed) this.socket.write(Buffer.concat(this.frames));
    this.frames = [];
  }

  private read(chunk: Buffer): void {
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    for (;;) {
      if (this.skip > 0) {
        const skipped = Math.min(this.skip, bytes.length);
        this.skip -= skipped;
        bytes = bytes.subarray(skipped);
        if (this.skip > 0) break;
        this.finish(this.ends);
      }
      if (bytes.length < HEAD) break;
      const length = bytes.readUIntBE(0, 3);
      const [type, flags, stream] = [bytes[3] ?? 0, bytes[4] ?? 0, bytes.readUInt32BE(5)];
      if (type === DATA) {
        this.count(length);
        this.ends = (flags & END_STREAM) === 0 ? 0 : stream;
        this.skip = length;
        bytes = bytes.subarray(HEAD);
        if (length === 0) this.finish(this.ends);
        continue;
      }
      if (bytes.length < HEAD + length) break;
      this.take(type, flags, stream, bytes.subarray(HEAD, HEAD + length));
      bytes = bytes.subarray(HEAD + length);
    }
    this.rest = bytes.length === 0 ? NOTHING : Buffer.from(bytes);
  }

  private take(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === HEADERS) {
      if (this.answered.has(stream)) this.codes.set(stream, statusOf(payload));
      if ((flags & END_STREAM) !== 0) this.finish(stream);
    } else if (type === RST_STREAM) this.finish(stream);
    else if (type === SETTINGS && (flags & ACK) === 0) {
      for (let at = 0; at < payload.length; at += 6)
        if (payload.readUInt16BE(at) === 3) this.most = payload.readUInt32BE(at + 2);
      this.write(frame(SETTINGS, ACK, 0, NOTHING));
    } else if (type === PING && (flags & ACK) === 0) this.write(frame(PING, ACK, 0, payload));
    else if (type === GOAWAY) this.socket.destroy();
    else if (type === WINDOW_UPDATE && stream === 0) {
      this.room += payload.readUInt32BE(0);
      this.sendBodies();
    }
  }

  /** Gives the server room for more, long before there is none. */
  private count(length: number): void {
    this.taken += length;
    if (this.taken < 2 ** 29) return;
    this.write(frame(WINDOW_UPDATE, 0, 0, uint32(this.taken)));
    this.taken = 0;
  }

  private finish(stream: number): void {
    const answered = this.answered.get(stream);
    if (answered === undefined) return;
    this.answered.delete(stream);
    answered(this.codes.get(stream) ?? 0);
    this.codes.delete(stream);
  }
}
