/** Requests over one connection of HTTP/1.1, one at a time. */
import { connect, type TLSSocket } from 'node:tls';
import type { Wire, WireCall } from './wire.js';

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKS_END = Buffer.from('0\r\n\r\n');
const NOTHING: Buffer = Buffer.alloc(0);

export class Http1Wire implements Wire {
  private readonly socket: TLSSocket;
  private readonly headers: string;
  private answered: ((code: number) => void) | undefined;
  private head: Buffer = NOTHING;
  private code = 0;
  /** What is left of the body; undefined while the head comes, Infinity where chunks say where it ends. */
  private left: number | undefined;
  private closes = false;
  closed = false;

  constructor(port: number, token: string) {
    this.headers = [
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      'Accept: application/json',
      'Accept-Encoding: gzip',
      'User-Agent: bench',
    ].join('\r\n');
    this.socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => this.end());
  }

  get full(): boolean {
    return this.answered !== undefined;
  }

  send({ method, path, body }: WireCall, answered: (code: number) => void): () => void {
    this.answered = answered;
    const typed =
      body === undefined ? '' : `\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${this.headers}${typed}\r\n\r\n`);
    this.socket.write(body === undefined ? head : Buffer.concat([head, body]));
    return () => {
      if (this.answered !== answered) return;
      this.answered = undefined;
      this.close();
    };
  }

  close(): void {
    this.closed = true;
    this.socket.destroy();
  }

  private end(): void {
    this.closed = true;
    const answered = this.answered;
    this.answered = undefined;
    answered?.(0);
  }

  private read(chunk: Buffer): void {
    let bytes = chunk;
    if (this.left === undefined) {
      this.head = this.head.length === 0 ? chunk : Buffer.concat([this.head, chunk]);
      const end = this.head.indexOf(HEAD_END);
      if (end < 0) return;
      bytes = this.begin(this.head.subarray(0, end).toString('latin1'), end);
    }
    if (this.left === Infinity) {
      if (bytes.subarray(-CHUNKS_END.length).equals(CHUNKS_END)) this.finish();
    } else if ((this.left = (this.left ?? 0) - bytes.length) <= 0) this.finish();
  }

  private begin(head: string, end: number): Buffer {
    this.code = Number(head.slice(9, 12));
    this.left = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Infinity);
    this.closes = /^connection: close/im.test(head);
    const body = this.head.subarray(end + HEAD_END.length);
    this.head = NOTHING;
    return body;
  }

  private finish(): void {
    const answered = this.answered;
    this.answered = undefined;
    this.left = undefined;
    if (this.closes) this.close();
    answered?.(this.code);
  }
}
