/** What the server has under way and has decided: plain numbers, read when metrics are. */
import type { RequestInfo } from '../requestinfo.js';

export interface Activity {
  /** Requests under way now, without watches. */
  readonly inFlight: { readOnly: number; mutating: number };
  /** Requests whose credentials were good (or rightly absent), and those that got 401. */
  readonly authentication: { success: number; failure: number };
  readonly authorization: { allowed: number; denied: number };
  /** Requests turned away because too much was under way. */
  readonly dropped: { readOnly: number; mutating: number; watch: number };
}

export function createActivity(): Activity {
  return {
    inFlight: { readOnly: 0, mutating: 0 },
    authentication: { success: 0, failure: 0 },
    authorization: { allowed: 0, denied: 0 },
    dropped: { readOnly: 0, mutating: 0, watch: 0 },
  };
}

const READS = new Set(['get', 'list', 'head', 'options']);

/** As which kind a request is in flight; undefined for a watch. */
export function virtualResource({ verb }: RequestInfo): keyof Activity['inFlight'] | undefined {
  if (verb === 'watch') return undefined;
  return READS.has(verb) ? 'readOnly' : 'mutating';
}
