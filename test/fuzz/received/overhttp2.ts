/** Sends generated requests as frames of HTTP/2, several at once. */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { HeaderDecoder } from '../../../pkg/server/listener/intake/headerdecoder.js';
import {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  FrameReader,
  GOAWAY,
  HEADERS,
  PREFACE,
  type ReceivedFrame,
  RST_STREAM,
  statusIn,
  uint32,
  WINDOW_UPDATE,
} from '../../fixtures/clients/http2frames.js';
import type { Chance } from './chance.js';
import { Encoder } from './hpack.js';
import type { Outcome } from './overhttp1.js';
import type { Generated } from './requests.js';

const PAYLOAD = 16_384;
const PADDED = 8;
const PRIORITY = 32;
/** A connection takes no more of them: a session of Node ends after 1000 malformed requests. */
const PER_CONNECTION = 500;

/** A block in frames, split by chance; no more than nghttp2 takes unless it is large. */
function framesOf(stream: number, block: Buffer, chance: Chance, endStream: number): Buffer[] {
  const frames: Buffer[] = [];
  const size =
    block.length > PAYLOAD || chance.once(4)
      ? Math.max(Math.ceil(block.length / 6), 1 + chance.below(PAYLOAD - 300))
      : PAYLOAD;
  const part = Math.min(size, PAYLOAD - 300);
  for (let at = 0; at === 0 || at < block.length; at += part) {
    const payload = block.subarray(at, at + part);
    const last = at + part >= block.length ? END_HEADERS : 0;
    if (at > 0) frames.push(frame(CONTINUATION, last, stream, payload));
    else frames.push(first(stream, payload, last | endStream, chance));
  }
  return frames;
}

function first(stream: number, payload: Buffer, flags: number, chance: Chance): Buffer {
  const padding = chance.once(5) ? chance.below(200) : -1;
  const priority = chance.once(5) ? Buffer.from([0, 0, 0, 0, 15]) : Buffer.alloc(0);
  const added = (padding < 0 ? 0 : PADDED) | (priority.length > 0 ? PRIORITY : 0);
  const padded =
    padding < 0 ? [priority, payload] : [Buffer.from([padding]), priority, payload, Buffer.alloc(padding)];
  return frame(HEADERS, flags | added, stream, Buffer.concat(padded));
}

interface Waiting {
  status: number;
  body: Buffer[];
  done(outcome: Outcome): void;
}

class Connection {
  private readonly socket: TLSSocket;
  private readonly chance: Chance;
  private readonly encoder: Encoder;
  private readonly decoder = new HeaderDecoder();
  private readonly waiting = new Map<number, Waiting>();
  private readonly reader = new FrameReader((received) => this.frame(received));
  private next = 1;
  /** Why the server has ended it. */
  fault: string | undefined;

  constructor(socket: TLSSocket, chance: Chance) {
    this.socket = socket;
    this.chance = chance;
    this.encoder = new Encoder(chance);
    socket.on('data', (chunk: Buffer) => this.reader.take(chunk)).on('error', () => undefined);
    socket.once('close', () => this.end('closed'));
    socket.write(PREFACE);
  }

  get used(): boolean {
    return this.next > 2 * PER_CONNECTION;
  }

  send({ method, target, fields, body }: Generated): Promise<Outcome> {
    const stream = this.next;
    this.next += 2;
    const pseudo = [
      [':method', method],
      [':scheme', 'https'],
      [':path', target],
      [':authority', 'localhost'],
    ] as const;
    const block = this.encoder.encode([...pseudo, ['x-begin', '1'], ...fields]);
    const bare = body.length === 0;
    const frames = framesOf(stream, block, this.chance, bare ? END_STREAM : 0);
    if (!bare) frames.push(...this.bodyOf(stream, body));
    return new Promise((done) => {
      if (this.fault !== undefined) return done({ status: 0, body: '' });
      this.waiting.set(stream, { status: 0, body: [], done });
      for (const one of this.chance.once(3) ? frames : [Buffer.concat(frames)]) this.socket.write(one);
    });
  }

  private bodyOf(stream: number, body: Buffer): Buffer[] {
    if (this.chance.once(2)) return [frame(DATA, END_STREAM, stream, body)];
    const trailers = this.encoder.encode([
      ['x-trailer', 'impersonate'],
      ['impersonate-user', 'trailer'],
    ]);
    return [frame(DATA, 0, stream, body), frame(HEADERS, END_STREAM | END_HEADERS, stream, trailers)];
  }

  close(): void {
    this.fault ??= 'done';
    this.socket.destroy();
  }

  private end(fault: string): void {
    this.fault ??= fault;
    for (const { done } of this.waiting.values()) done({ status: 0, body: '' });
    this.waiting.clear();
  }

  private frame({ type, flags, stream, payload }: ReceivedFrame): void {
    if (type === GOAWAY) return this.end(`GOAWAY ${payload.readUInt32BE(4)}`);
    const waiting = this.waiting.get(stream);
    if (type === HEADERS) {
      const status = statusIn(payload, this.decoder);
      if (status !== undefined && waiting !== undefined) waiting.status = Number(status);
    }
    if (type === DATA && payload.length > 0) {
      waiting?.body.push(Buffer.from(payload));
      this.socket.write(frame(WINDOW_UPDATE, 0, 0, uint32(payload.length)));
    }
    const ended = (type === HEADERS || type === DATA) && (flags & END_STREAM) !== 0;
    if (waiting === undefined || (!ended && type !== RST_STREAM)) return;
    this.waiting.delete(stream);
    // An answer that came before its stream was reset is one.
    const whole = ended || waiting.status >= 400;
    waiting.done({
      status: whole ? waiting.status : 0,
      body: Buffer.concat(waiting.body).toString('latin1'),
    });
  }
}

/** Connections one after another; none of them may end but by this client. */
export class Http2Sender {
  private readonly port: number;
  private readonly chance: Chance;
  private connection: Connection | undefined;
  readonly faults: string[] = [];

  constructor(port: number, chance: Chance) {
    this.port = port;
    this.chance = chance;
  }

  async send(requests: readonly Generated[]): Promise<Outcome[]> {
    const connection = await this.connected();
    const outcomes = await Promise.all(requests.map((request) => connection.send(request)));
    if (connection.fault !== undefined) this.faults.push(connection.fault);
    if (connection.fault !== undefined || connection.used) this.close();
    return outcomes;
  }

  close(): void {
    this.connection?.close();
    this.connection = undefined;
  }

  private async connected(): Promise<Connection> {
    if (this.connection !== undefined) return this.connection;
    const socket = connect({
      host: '127.0.0.1',
      port: this.port,
      rejectUnauthorized: false,
      ALPNProtocols: ['h2'],
    });
    await once(socket, 'secureConnect');
    return (this.connection = new Connection(socket, this.chance));
  }
}
