/** Sends generated requests as bytes of HTTP/1.1, one after another. */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { Chance } from './chance.js';
import { endOfHead, type Generated } from './requests.js';

/** A body of JSON if it was served. */
export interface Outcome {
  readonly status: number;
  readonly body: string;
}

function bytesOf({ method, target, fields, body }: Generated, chance: Chance): Buffer {
  const blank = (): string => chance.of(['', ' ', ' ', ' ', '\t ']);
  const lines = [`${method} ${target} HTTP/1.1`, 'x-begin: 1', 'host: localhost'];
  for (const [name, value] of fields)
    lines.push(`${name}:${blank()}${value}${chance.once(5) ? blank() : ''}`);
  const chunked = body.length > 0 && chance.once(2);
  if (chunked) lines.push('transfer-encoding: chunked');
  else if (body.length > 0) lines.push(`content-length: ${body.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([head, ...(chunked ? chunksOf(body, chance) : [body])]);
}

function chunksOf(body: Buffer, chance: Chance): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const chunk = body.subarray(at, at + 1 + chance.below(100));
    const extension = chance.once(4) ? ';a=b' : '';
    parts.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.length;
  }
  const trailer = chance.once(3) ? 'impersonate-user: trailer\r\n' : '';
  return [...parts, Buffer.from(`0\r\n${trailer}\r\n`)];
}

/** A connection that is made again after each that the server ends. */
export class Http1Sender {
  private readonly port: number;
  private readonly chance: Chance;
  private socket: TLSSocket | undefined;

  constructor(port: number, chance: Chance) {
    this.port = port;
    this.chance = chance;
  }

  async send(request: Generated): Promise<Outcome> {
    const socket = await this.connected();
    const answered = answerOn(socket);
    socket.write(bytesOf(request, this.chance));
    const outcome = await answered;
    // The answer to what follows an early end of the head is none of the next request's.
    if (outcome.status !== 200 || endOfHead(request) >= 0) this.close();
    return outcome;
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }

  private async connected(): Promise<TLSSocket> {
    if (this.socket !== undefined && !this.socket.destroyed) return this.socket;
    const socket = connect({ host: '127.0.0.1', port: this.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    socket.on('error', () => undefined);
    return (this.socket = socket);
  }
}

/** The next whole answer. Status 0: the connection has ended without one. */
function answerOn(socket: TLSSocket): Promise<Outcome> {
  return new Promise((resolve) => {
    let text = '';
    const done = (outcome: Outcome): void => {
      socket.off('data', read).off('close', ended);
      resolve(outcome);
    };
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)\r$/im.exec(text.slice(0, end + 2))?.[1] ?? '0');
      if (end < 0 || text.length < end + 4 + length) return;
      done({ status: Number(text.slice(9, 12)), body: text.slice(end + 4, end + 4 + length) });
    };
    const ended = (): void => done({ status: 0, body: '' });
    socket.on('data', read).once('close', ended);
  });
}
