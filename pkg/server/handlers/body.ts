import type { Exchange } from '../httpexchange.js';
import type { PendingBody } from '../filters/flowcontrol/bodybudget.js';
import { badRequest, tooLarge } from '../../apimachinery/errors.js';

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Timeout of a body, so that slow clients do not hold a stream forever. */
const BODY_MS = 60_000;

/**
 * The whole body. Until it has come it holds no slot. Throws StatusError 413 past `maxBytes`, 400 when it takes too long or
 * the client breaks off; `Overloaded` where too much of this user is under way.
 */
export async function readBody(
  exchange: Exchange,
  { timeoutMs = BODY_MS, maxBytes = MAX_BODY_BYTES }: BodyOptions = {},
): Promise<Buffer> {
  const { request, slot } = exchange;
  const declared = Number(request.headers['content-length'] ?? '0');
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (slot === undefined || request.complete) return collect(exchange, { timeoutMs, maxBytes });
  let refuse: ((error: Error) => void) | undefined;
  const pending = slot.awaitBody((error) => refuse?.(error));
  const waiting = { pending, refusable: (by: (error: Error) => void) => void (refuse = by) };
  const body = await collect(exchange, { timeoutMs, maxBytes, ...waiting }).finally(() => pending?.over());
  if (pending !== undefined) await slot.resume();
  return body;
}

export interface BodyOptions {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

interface Collecting extends Required<BodyOptions> {
  readonly pending?: PendingBody | undefined;
  /** Receives a function that refuses the body. */
  readonly refusable?: (refuse: (error: Error) => void) => void;
}

function collect({ request, end, observeBody }: Exchange, options: Collecting): Promise<Buffer> {
  const { timeoutMs, maxBytes, pending, refusable } = options;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      clearTimeout(timer);
      end.forget(brokenOff);
    };
    const refuse = (error: unknown): void => {
      settle();
      chunks.length = 0;
      request.removeAllListeners('data');
      request.resume();
      reject(error);
    };
    const brokenOff = (): void => refuse(badRequest('the request body could not be read to its end'));
    const timer = setTimeout(
      () => refuse(badRequest(`the request body did not come within ${timeoutMs / 1000} seconds`)),
      timeoutMs,
    );
    refusable?.(refuse);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return refuse(tooLarge(maxBytes));
      chunks.push(chunk);
      try {
        pending?.grew(chunk.length);
      } catch (error) {
        refuse(error);
      }
    });
    request.once('end', () => {
      settle();
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
      observeBody?.(body);
      resolve(body);
    });
    for (const event of ['error', 'aborted']) request.once(event, brokenOff);
    end.after(brokenOff);
  });
}
