import { takesGzip } from '../responsewriters/acceptencoding.js';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { encodeJson } from '../../apimachinery/encoding/json.js';
import { parseAccept, type AcceptClause } from '../../apimachinery/mediatype.js';
import { quotedDigest } from './discovery.js';
import { asksForRanges, sendRanges } from './ranges.js';
import { readable, sendDocument, sendEmpty } from './routes.js';

/** The OpenAPI documents of the served kinds, built when first asked for. */
export interface OpenapiDocuments {
  /** `api/v1`, `apis/<group>/<version>`, `version`: everything that has a v3 document, sorted. */
  readonly paths: readonly string[];
  v2(): object;
  /** {@link v2} in protobuf. */
  v2Protobuf(): Buffer;
  /** `path`: one of `paths`. */
  v3(path: string): object;
  /** {@link v3} in protobuf. */
  v3Protobuf(path: string): Buffer;
}

const JSON_TYPE = 'application/json';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const YEAR_MS = 365 * 86_400_000;
const GZIP_FROM_BYTES = 128 * 1024;

interface Document {
  readonly body: Buffer;
  readonly etag: string;
  /** Upper-case hex; part of the URL in the index. */
  readonly hash: string;
  readonly built: Date;
}

/** Routes `/openapi/v2`, `/openapi/v3` and the documents below it. */
export function routeOpenapi(app: Express, documents: OpenapiDocuments): void {
  const v2 = once(() => makeDocument(documents.v2()));
  const bodies = { json: () => v2().body, protobuf: once(() => documents.v2Protobuf()) };
  const zipped = { json: once(() => gzipSync(v2().body)), protobuf: once(() => gzipSync(bodies.protobuf())) };
  app.get('/openapi/v2', (request: Request, response: Response) => {
    response.setHeader('Vary', 'Accept-Encoding, Accept');
    const type = typeOf(request, V2_PROTOBUF);
    if (type === undefined) return sendEmpty(response, 406);
    if (unchanged(request, response, v2())) return;
    const contentType = type === 'json' ? JSON_TYPE : V2_PROTOBUF;
    const whole = bodies[type]().length < GZIP_FROM_BYTES || !takesGzip(request.headers['accept-encoding']);
    if (whole || asksForRanges(request, response)) {
      return sendRanges(request, response, contentType, bodies[type]());
    }
    response.setHeader('Content-Encoding', 'gzip');
    sendDocument(response, contentType, zipped[type]());
  });
  routeV3(app, documents);
}

function routeV3(app: Express, documents: OpenapiDocuments): void {
  const made = new Map(
    documents.paths.map((path) => {
      const protobuf = once(() => documents.v3Protobuf(path));
      return [path, once(() => ({ ...makeDocument(documents.v3(path)), protobuf }))];
    }),
  );
  const index = once(() => {
    const entries = [...made].map(([path, document]) => {
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${document().hash}` }];
    });
    return Buffer.from(encodeJson({ paths: Object.fromEntries(entries) }));
  });
  app.all('/openapi/v3', (request: Request, response: Response) => {
    sendRanges(request, response, 'text/plain; charset=utf-8', index());
  });
  readable(app, '/openapi/v3/*path', (request, response) => {
    const path = [request.params.path ?? []].flat().join('/');
    const document = made.get(path)?.();
    if (document === undefined) return sendEmpty(response, 404);
    sendV3(request, response, path, document);
  });
}

/** With the right `hash` an answer may be kept for a year; a stale one leads to the current document. */
function sendV3(
  request: Request,
  response: Response,
  path: string,
  document: Document & { protobuf(): Buffer },
): void {
  response.setHeader('Vary', 'Accept');
  const type = typeOf(request, V3_PROTOBUF);
  if (type === undefined) return sendEmpty(response, 406);
  const contentType = type === 'json' ? JSON_TYPE : V3_PROTOBUF;
  const { hash } = request.query;
  if (typeof hash === 'string' && hash !== '') {
    if (hash !== document.hash) {
      response.setHeader('Location', `/openapi/v3/${path}?hash=${document.hash}`);
      response.setHeader('ETag', document.etag);
      response.setHeader('Content-Type', contentType);
      return sendEmpty(response, 301);
    }
    response.setHeader('Cache-Control', 'public, immutable');
    response.setHeader('Expires', new Date(Date.now() + YEAR_MS).toUTCString());
  }
  if (!unchanged(request, response, document)) {
    sendRanges(request, response, contentType, type === 'json' ? document.body : document.protobuf());
  }
}

/** Sets the validators, and answers 304 if the client's copy is current. */
function unchanged(request: Request, response: Response, document: Document): boolean {
  response.setHeader('ETag', document.etag);
  response.setHeader('Last-Modified', document.built.toUTCString());
  const match = request.headers['if-none-match'];
  const current = match === undefined ? notModifiedSince(request, document) : matches(match, document.etag);
  if (current) sendEmpty(response, 304);
  return current;
}

function matches(header: string, etag: string): boolean {
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

function notModifiedSince(request: Request, document: Document): boolean {
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return Math.floor(document.built.getTime() / 1000) * 1000 <= since;
}

/** The first clause that names an encoding of the document; wildcards mean JSON. */
function typeOf(request: Request, protobuf: string): 'json' | 'protobuf' | undefined {
  const { accept } = request.headers;
  // The name in older clients.
  const names = [protobuf, protobuf.replace('.v1.0+', '@v1.0+')];
  if (accept === undefined || accept === '') return 'json';
  for (const clause of parseAccept(accept)) {
    if (namesJson(clause)) return 'json';
    if (names.includes(`${clause.type}/${clause.subtype}`)) return 'protobuf';
  }
  return undefined;
}

const namesJson = ({ type, subtype }: AcceptClause): boolean =>
  (type === '*' || type === 'application') && (subtype === '*' || subtype === 'json');

function makeDocument(value: object): Document {
  const body = Buffer.from(encodeJson(value));
  const hash = createHash('sha512').update(body).digest('hex').toUpperCase();
  return { body, hash, etag: quotedDigest(body), built: new Date() };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
