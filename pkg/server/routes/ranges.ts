/** Parts of a document, for a request with a `Range` header (RFC 9110 section 14), with the outcomes of Go's `http.ServeContent`. */
import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { sendDocument } from './routes.js';

interface Range {
  /** The first and the last byte. */
  readonly start: number;
  readonly end: number;
}

/**
 * Sends the document or the requested ranges of it: 206, or 416 for none within it. The validators must be set before.
 * Ranges longer in total than the document are ignored.
 */
export function sendRanges(request: Request, response: Response, contentType: string, body: Buffer): void {
  response.setHeader('Accept-Ranges', 'bytes');
  const ranges = asksForRanges(request, response) ? rangesOf(request, body.length) : [];
  if (typeof ranges === 'string') return refuse(response, ranges, body.length);
  const [first] = ranges;
  const asked = ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  if (first === undefined || asked > body.length) return sendDocument(response, contentType, body);
  response.statusCode = 206;
  if (ranges.length === 1) {
    response.setHeader('Content-Range', contentRange(first, body.length));
    return sendDocument(response, contentType, partOf(body, first));
  }
  const boundary = randomUUID();
  const parts = ranges.map((range) =>
    Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Range: ${contentRange(range, body.length)}\r\nContent-Type: ${contentType}\r\n\r\n`,
      ),
      partOf(body, range),
      Buffer.from('\r\n'),
    ]),
  );
  const whole = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  sendDocument(response, `multipart/byteranges; boundary=${boundary}`, whole);
}

/** Whether there is a `Range`, of the document that `If-Range` names. */
export function asksForRanges(request: Request, response: Response): boolean {
  const { range, 'if-range': version } = request.headers;
  if (range === undefined || range === '') return false;
  return (
    version === undefined || [response.get('ETag'), response.get('Last-Modified')].includes(String(version))
  );
}

/** The ranges within the document, or an error. */
function rangesOf(request: Request, length: number): readonly Range[] | string {
  const ranges = request.range(length);
  if (ranges === undefined) return [];
  if (ranges === -1) return 'invalid range: failed to overlap';
  return ranges === -2 || ranges.type !== 'bytes' ? 'invalid range' : ranges;
}

function refuse(response: Response, why: string, length: number): void {
  for (const name of ['ETag', 'Last-Modified', 'Accept-Ranges']) response.removeHeader(name);
  if (why !== 'invalid range') response.setHeader('Content-Range', `bytes */${length}`);
  response.statusCode = 416;
  sendDocument(response, 'text/plain; charset=utf-8', Buffer.from(`${why}\n`));
}

const contentRange = ({ start, end }: Range, length: number): string => `bytes ${start}-${end}/${length}`;

const partOf = (body: Buffer, { start, end }: Range): Buffer => body.subarray(start, end + 1);
