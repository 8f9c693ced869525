import { createHash } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { unknownResource } from '../../apimachinery/errors.js';
import { negotiate, type Offer } from '../../apimachinery/negotiation.js';
import { encodeAs, encodingOf } from './documentencoding.js';
import { pathNotFound, readable, sendDocument } from './routes.js';

/** The discovery documents of the served kinds, as values that JSON can encode. */
export interface DiscoveryDocuments {
  /** `/api`; undefined when the core group is not served. */
  readonly apiVersions: object | undefined;
  /** `/apis`. */
  readonly groupList: object;
  /** `/api` as one document (`apidiscovery.k8s.io/v2`). */
  readonly aggregatedCore: object;
  /** `/apis` as one document. */
  readonly aggregatedGroups: object;
  /** `/apis/<group>`. */
  group(name: string): object | undefined;
  /** `/apis/<group>/<version>`; the core group is `''`. */
  resourceList(group: string, version: string): object | undefined;
}

const TYPES: Offer['types'] = ['json', 'yaml', 'protobuf'];
const PLAIN: Offer = { types: TYPES, transforms: [], watch: false };
const AGGREGATED: Offer = { types: TYPES, transforms: ['APIGroupDiscoveryList'], watch: false };

/** Routes discovery. Kinds are fixed at start, so each representation is encoded once. */
export function routeDiscovery(app: Express, documents: DiscoveryDocuments): void {
  const { apiVersions, groupList, aggregatedCore, aggregatedGroups } = documents;
  if (apiVersions !== undefined) routeRoot(app, '/api', apiVersions, aggregatedCore, withAddress);
  routeRoot(app, '/apis', groupList, aggregatedGroups);
  const encodings = new WeakMap<object, Map<string, Buffer>>();
  const send = (request: Request, response: Response, document: object): void => {
    const { mediaType, pretty, contentType } = negotiate(request.headers.accept, PLAIN);
    const how = encodingOf(request, mediaType, pretty);
    const known = encodings.get(document) ?? new Map<string, Buffer>();
    encodings.set(document, known);
    const body = known.get(how) ?? encodeAs(document, how);
    known.set(how, body);
    sendDocument(response, contentType, body);
  };
  readable(app, '/apis/:group', (request, response) => {
    const document = documents.group(String(request.params.group));
    if (document === undefined) pathNotFound(response);
    else send(request, response, document);
  });
  readable(app, '/apis/:group/:version', (request, response) => {
    const [group, version] = [String(request.params.group), String(request.params.version)];
    if (documents.group(group) === undefined) return pathNotFound(response);
    send(request, response, served(documents.resourceList(group, version)));
  });
  if (apiVersions === undefined) return;
  readable(app, '/api/:version', (request, response) => {
    send(request, response, served(documents.resourceList('', String(request.params.version))));
  });
}

/** A version that a served group lacks is a `Status`. */
function served(document: object | undefined): object {
  if (document === undefined) throw unknownResource();
  return document;
}

/** `/api` and `/apis`: the plain document, or the aggregated one with an ETag for clients that ask for it. */
function routeRoot(
  app: Express,
  path: string,
  plain: object,
  aggregated: object,
  complete: (plain: object, request: Request) => object = (document) => document,
): void {
  const json = encodeAs(aggregated, 'json');
  const etag = quotedDigest(json);
  readable(app, path, (request, response) => {
    const { mediaType, transform, pretty, contentType } = negotiate(request.headers.accept, AGGREGATED);
    if (transform === undefined) {
      const how = encodingOf(request, mediaType, pretty);
      return sendDocument(response, contentType, encodeAs(complete(plain, request), how));
    }
    response.setHeader('Cache-Control', 'public');
    response.setHeader('ETag', etag);
    response.setHeader('Vary', 'Accept');
    if (request.headers['if-none-match'] === etag) {
      response.statusCode = 304;
      response.end();
      return;
    }
    sendDocument(response, contentType, mediaType === 'json' ? json : encodeAs(aggregated, mediaType));
  });
}

/** `/api` contains the `host:port` that the client has connected to. */
function withAddress(plain: object, { socket }: Request): object {
  const { localAddress = '', localPort } = socket;
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  const serverAddress = `${host}:${localPort}`;
  return { ...plain, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
}

/** `"<upper-case hex of SHA-512>"`, as Kubernetes makes entity tags. */
export function quotedDigest(body: Buffer): string {
  return `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
}
