/** Files that were built with the server, as browsers get them. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { codingFor, type Coding } from '../responsewriters/acceptencoding.js';

/** By the end of a file's name; others are not served. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

export interface StaticFile {
  readonly type: string;
  /** Strong, of the content. */
  readonly etag: string;
  /** Its available codings, best first, besides `identity`. */
  readonly codings: readonly Coding[];
  /** The bytes in a content coding. */
  body(coding: Coding): Promise<Buffer>;
}

export const etagOf = (content: Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

/** Headers of a file override those of its site. A page names the files it needs, so it is revalidated each time. */
export const PAGE_CACHE = 'no-cache, private';
/** A year; the name of such a file has a hash of its content. */
export const ASSET_CACHE = 'public, max-age=31536000, immutable';

/**
 * Sends a file in the best coding that the client accepts, or 304 if the client's copy is current. `headers`: of the
 * site.
 */
export async function sendFile(
  { headers: asked }: Pick<Request, 'headers'>,
  response: Response,
  file: StaticFile,
  headers: Readonly<Record<string, string>>,
  code = 200,
): Promise<void> {
  const { etag, type } = file;
  const common = { ...headers, ETag: etag, Vary: 'Accept-Encoding' };
  if (code === 200 && asked['if-none-match'] === etag) return void response.writeHead(304, common).end();
  const coding = codingFor(String(asked['accept-encoding'] ?? ''), file.codings);
  const body = await file.body(coding);
  const encoded = coding === 'identity' ? {} : { 'Content-Encoding': coding };
  response
    .writeHead(code, { ...common, ...encoded, 'Content-Type': type, 'Content-Length': body.length })
    .end(body);
}
