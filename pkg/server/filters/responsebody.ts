import type { ServerResponse } from 'node:http';

/** Answers longer than this are not kept. */
const MAX_BYTES = 1_520_435;

/** Captures the sent body. Returns it, or undefined if it is too long or compressed. */
export function captureBody(response: ServerResponse): () => Buffer | undefined {
  const chunks: Buffer[] = [];
  let size = 0;
  const keep = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = response;
  response.write = (chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    return Reflect.apply(write, response, [chunk, ...rest]);
  };
  response.end = (chunk: unknown, ...rest: unknown[]) => {
    keep(chunk);
    return Reflect.apply(end, response, [chunk, ...rest]);
  };
  return () => {
    const whole = size <= MAX_BYTES && response.getHeader('Content-Encoding') === undefined;
    return whole ? Buffer.concat(chunks) : undefined;
  };
}
