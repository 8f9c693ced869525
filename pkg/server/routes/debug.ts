/**
 * State of a slow or large server, for administrators. The paths are our own, similar to `/debug/pprof` of
 * kube-apiserver.
 */
import type { Express, Request, Response } from 'express';
import { encodePretty } from '../../apimachinery/encoding/json.js';
import { badRequest } from '../../apimachinery/errors.js';
import { type CacheSources, cacheState } from '../debug/cachestate.js';
import { processState } from '../debug/processstate.js';
import type { SlowRequests } from '../debug/slowrequests.js';
import { readable, sendDocument } from './routes.js';

export interface DebugRoutes extends CacheSources {
  readonly slowRequests: Pick<SlowRequests, 'list'>;
}

export const DEBUG_PATHS = ['/debug/caches', '/debug/process', '/debug/requests'];

const MAX_SECONDS = 30;

/** Undefined: there is nothing to examine, as the store cannot be opened. */
export function routeDebug(app: Express, debug: DebugRoutes | undefined): void {
  if (debug === undefined) return;
  const send = (response: Response, value: object): void =>
    sendDocument(response, 'application/json', Buffer.from(encodePretty(value)));
  readable(app, '/debug/process', async (request, response) => {
    const seconds = secondsOf(request);
    const left = new AbortController();
    response.once('close', () => left.abort());
    const state = await processState(seconds, left.signal);
    if (!left.signal.aborted) send(response, state);
  });
  readable(app, '/debug/caches', (_request, response) => send(response, cacheState(debug)));
  readable(app, '/debug/requests', (_request, response) =>
    send(response, { slowest: debug.slowRequests.list() }),
  );
}

function secondsOf({ query: { seconds = '1' } }: Request): number {
  const count = typeof seconds === 'string' && /^\d{1,2}$/.test(seconds) ? Number(seconds) : 0;
  if (count >= 1 && count <= MAX_SECONDS) return count;
  throw badRequest(`seconds must be a whole number from 1 to ${MAX_SECONDS}`);
}
