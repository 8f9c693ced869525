/** Requests for sessions: JSON of a script of this origin, which forms cannot send. */
import type { Request, Response } from 'express';
import { parseJson } from '../../apimachinery/encoding/depth.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { badRequest, failure } from '../../apimachinery/errors.js';
import { readBody } from '../../server/handlers/body.js';
import { exchangeOf } from '../../server/routes/routes.js';
import { CONSOLE_HEADERS, NO_CACHE } from './headers.js';
import { isCrossSite } from './sessioncookie.js';

const MAX_BODY_BYTES = 16 * 1024;

/** Throws StatusError 403. */
export function checkSite({ headers }: Request): void {
  if (isCrossSite(headers)) throw failure('Forbidden', 'the request was not sent by the console');
}

/** The members of the body. Throws StatusError 400, 413, 415. */
export async function membersIn(request: Request): Promise<ReturnType<typeof membersOf>> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw failure('UnsupportedMediaType', 'the body must be application/json');
  const bytes = await readBody(exchangeOf(request), { maxBytes: MAX_BODY_BYTES });
  try {
    return membersOf(parseJson(bytes.toString('utf8')));
  } catch {
    throw badRequest('the body is not valid JSON');
  }
}

export function sendJson(response: Response, code: number, document: object): void {
  const body = Buffer.from(JSON.stringify(document));
  response
    .writeHead(code, {
      ...CONSOLE_HEADERS,
      'Content-Type': 'application/json',
      'Cache-Control': NO_CACHE,
      'Content-Length': body.length,
    })
    .end(body);
}
