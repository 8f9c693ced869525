/** The graph of owners in the garbage collector, for people. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, Response } from 'express';
import { pathNotFound, readable } from './routes.js';

type GraphFormat = 'json' | 'dot';

/** In chunks. Undefined without a collector. */
export type OwnerGraph = (format: GraphFormat) => Iterable<string> | undefined;

const PATH = '/debug/controllers/garbage-collector/graph';
const MEDIA_TYPES = { json: 'application/json', dot: 'text/vnd.graphviz' } as const;

/** JSON, or DOT with `?format=dot` or if the client accepts nothing else. 404 without a collector. */
export function routeOwnerGraph(app: Express, ownerGraph: OwnerGraph = () => undefined): void {
  readable(app, PATH, async (request, response) => {
    const format = formatOf(request);
    const pieces = ownerGraph(format);
    if (pieces === undefined) return pathNotFound(response);
    response.setHeader('Content-Type', MEDIA_TYPES[format]);
    await send(pieces, response);
  });
}

function formatOf(request: Request): GraphFormat {
  if (request.query.format === 'dot') return 'dot';
  return request.accepts([MEDIA_TYPES.json, MEDIA_TYPES.dot]) === MEDIA_TYPES.dot ? 'dot' : 'json';
}

/** A client that leaves in the middle ends it. */
async function send(pieces: Iterable<string>, response: Response): Promise<void> {
  try {
    await pipeline(Readable.from(pieces), response);
  } catch (error) {
    if (!response.destroyed) throw error;
  }
}
