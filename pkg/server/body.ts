import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.js';
import { badRequest, tooLarge } from '../apimachinery/errors.js';

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** How long a body may take: a client that sends a byte now and then must not hold a stream for ever. */
const BODY_MS = 60_000;

const observers = new WeakMap<IncomingMessage, (body: Buffer) => void>();

/** Tells of the whole body of a request, if it is read. */
export function observeBody(request: IncomingMessage, observe: (body: Buffer) => void): void {
  observers.set(request, observe);
}

/** The whole body. Throws StatusError 413 past the limit, 400 when it takes too long or the client breaks off. */
export async function readBody({ request, end }: Exchange, patienceMs = BODY_MS): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? '0');
  if (declared > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      clearTimeout(timer);
      end.forget(brokenOff);
    };
    const refuse = (error: Error): void => {
      settle();
      request.removeAllListeners('data');
      request.resume();
      reject(error);
    };
    const brokenOff = (): void => refuse(badRequest('the request body could not be read to its end'));
    const timer = setTimeout(
      () => refuse(badRequest(`the request body did not come within ${patienceMs / 1000} seconds`)),
      patienceMs,
    );
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return refuse(tooLarge(MAX_BODY_BYTES));
      chunks.push(chunk);
    });
    request.once('end', () => {
      settle();
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
      observers.get(request)?.(body);
      resolve(body);
    });
    for (const event of ['error', 'aborted']) request.once(event, brokenOff);
    end.after(brokenOff);
  });
}
