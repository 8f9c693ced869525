/** Limits the time that a request waits for the store. */
import { badRequest, failure, serverTimeout } from '../../apimachinery/errors.js';
import { afterIdle } from '../../apimachinery/eventloop/idletimeout.js';
import { parseDuration } from '../../apimachinery/options/duration.js';
import { parseQuery } from '../../apimachinery/options/query.js';
import type { KindRequest } from '../requestcontext.js';
import type { RequestInfo } from '../requestinfo.js';

/**
 * A hanging store must not block a client for ten seconds; every engine has its own timeout near this. The server's own
 * work on a large body may take longer: `--request-timeout` of kube-apiserver is the limit of both.
 */
const STORE_TIMEOUT_MS = 8_000;
const LONGEST_MS = 60_000;
const EXCEEDED = 'Timeout: request did not complete within requested timeout - context deadline exceeded';

/** Long-running requests besides watches (`BasicLongRunningRequestCheck` of kube-apiserver). */
const LONG_RUNNING = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

/** `?timeout=` must be a Go duration on every path, except on long-running requests. Throws StatusError 400. */
export function checkTimeout(info: RequestInfo): void {
  if (info.kind === 'path' ? info.path.startsWith('/debug/pprof/') : LONG_RUNNING.has(info.subresource))
    return;
  requestedTimeout(info);
}

/** `?timeout=` in ms; Infinity if absent or not positive. Throws StatusError 400. */
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
 * Waits for `work` on the store up to the timeout of the client (then 504 Timeout), or of the server (then 500
 * ServerTimeout). Late work continues: the outcome of a write is unknown.
 * @throws StatusError, and the errors of `work`.
 */
export function inTime<T>({ info, store }: KindRequest, work: Promise<T>): Promise<T> {
  const requested = requestedTimeout(info);
  return new Promise((resolve, reject) => {
    const late = (): void => {
      reject(
        requested < STORE_TIMEOUT_MS
          ? failure('Timeout', EXCEEDED, {})
          : serverTimeout(store.definition, OPERATION[info.verb] ?? info.verb),
      );
    };
    const ends = timeout(requested, late);
    const settled = <V>(settle: (value: V) => void) => {
      return (value: V): void => {
        ends();
        settle(value);
      };
    };
    work.then(settled(resolve), settled(reject));
  });
}

/** Calls `late` at the end of the time. Returns what ends the wait for it. */
function timeout(requested: number, late: () => void): () => void {
  if (requested >= STORE_TIMEOUT_MS)
    return afterIdle({ ms: STORE_TIMEOUT_MS, longest: Math.min(requested, LONGEST_MS) }, late);
  const timer = setTimeout(late, requested);
  return () => clearTimeout(timer);
}

/** The verbs that have another name in messages of kube-apiserver. */
const OPERATION: Readonly<Record<string, string>> = {
  patch: 'update',
  watch: 'list',
  deletecollection: 'delete',
};
