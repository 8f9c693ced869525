/** Code shared by the routes of the Express application. */
import type { Express, Request, Response } from 'express';
import { methodNotAllowed } from '../../apimachinery/errors.js';
import type { Exchange } from '../httpexchange.js';

const exchanges = new WeakMap<object, Exchange>();

/** For {@link exchangeOf}. */
export const rememberExchange = (request: object, exchange: Exchange): void =>
  void exchanges.set(request, exchange);

/** The exchange that a request of the application belongs to. */
export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request);
  if (exchange === undefined) throw new Error('the request is of no exchange');
  return exchange;
}

/** Serves GET (and, without a body, HEAD) of a path; other methods are 405. */
export function readable(
  app: Express,
  path: string,
  serve: (request: Request, response: Response) => void | Promise<void>,
): void {
  app.get(path, serve);
  app.all(path, () => {
    throw methodNotAllowed();
  });
}

/** Sends a whole document; HEAD gets its headers alone. */
export function sendDocument(response: Response, contentType: string, body: Buffer): void {
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

/** Answers without a body. */
export function sendEmpty(response: Response, code: number): void {
  response.statusCode = code;
  response.end();
}

/** The answer of Go's router to an unknown path. */
export function pathNotFound(response: Response): void {
  response.statusCode = 404;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end('404 page not found\n');
}
