/** How long a request may wait for the store. */
import { badRequest, failure, serverTimeout } from '../../apimachinery/errors.js';
import { parseDuration } from '../../apimachinery/options/duration.js';
import { parseQuery } from '../../apimachinery/options/query.js';
import type { KindCall } from '../authenticatedcall.js';
import type { RequestInfo } from '../requestinfo.js';

/** A store that hangs must not hold a client for ten seconds; every engine gives up by itself a little earlier or later. */
const STORE_TIMEOUT_MS = 8_000;
const EXCEEDED = 'Timeout: request did not complete within requested timeout - context deadline exceeded';

/** What runs as long as the client likes, besides watches (`BasicLongRunningRequestCheck` of kube-apiserver). */
const LONG_RUNNING = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** `?timeout=` must be a Go duration on every path, except on long-running requests. Throws StatusError 400. */
export function checkTimeout(info: RequestInfo): void {
  if (info.kind === 'path' ? info.path.startsWith('/debug/pprof/') : LONG_RUNNING.has(info.subresource))
    return;
  requestedTimeout(info);
}

/** `?timeout=` in ms; Infinity where there is none, or one that is not positive. Throws StatusError 400. */
function requestedTimeout({ verb, query }: Pick<RequestInfo, 'verb' | 'query'>): number {
  // The name of a parameter may be escaped.
  if (verb === 'watch' || !/timeout|%/.test(query)) return Infinity;
  const text = parseQuery(query).get('timeout') ?? '';
  if (text === '') return Infinity;
  try {
    const nanoseconds = parseDuration(text);
    return nanoseconds > 0n ? Math.max(1, Number(nanoseconds / 1_000_000n)) : Infinity;
  } catch (error) {
    const why = error instanceof Error ? error.message : text;
    throw badRequest(`invalid timeout specified in the request URL - ${why}`);
  }
}

/**
 * `work` on the store, waited for no longer than the client asked for (then 504 Timeout), nor than the server's own
 * timeout (then 500 ServerTimeout). Late work goes on unwatched: what became of a write is unknown.
 * @throws StatusError, and what `work` rejects with.
 */
export function inTime<T>({ info, store }: KindCall, work: Promise<T>): Promise<T> {
  const requested = requestedTimeout(info);
  return new Promise((resolve, reject) => {
    const late = (): void => {
      reject(
        requested < STORE_TIMEOUT_MS
          ? failure('Timeout', EXCEEDED, {})
          : serverTimeout(store.definition, OPERATION[info.verb] ?? info.verb),
      );
    };
    const timer = setTimeout(late, Math.min(requested, STORE_TIMEOUT_MS));
    const settled = <V>(settle: (value: V) => void) => {
      return (value: V): void => {
        clearTimeout(timer);
        settle(value);
      };
    };
    work.then(settled(resolve), settled(reject));
  });
}

/** What kube-apiserver calls the verbs in its texts, where the name is another. */
const OPERATION: Readonly<Record<string, string>> = {
  patch: 'update',
  watch: 'list',
  deletecollection: 'delete',
};
