import type { Exchange } from './exchange.js';
import { badRequest, tooLarge } from '../apimachinery/errors.js';

/** The largest request body, in bytes. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body. Throws StatusError 413 past the limit, 400 when the client breaks off. */
export async function readBody({ request }: Exchange): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? '0');
  if (declared > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge(MAX_BODY_BYTES));
        return;
      }
      chunks.push(chunk);
    });
    request.once('end', () => {
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    });
    request.once('error', () => {
      reject(badRequest('the request body could not be read to its end'));
    });
    request.once('aborted', () => {
      reject(badRequest('the request body could not be read to its end'));
    });
  });
}
