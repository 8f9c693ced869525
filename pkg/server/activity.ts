/** Requests in flight and decisions, as plain numbers that are read with the metrics. */
import type { RequestInfo } from './requestinfo.js';

export interface Activity {
  /** Requests under way now, without watches. */
  readonly inFlight: { readOnly: number; mutating: number };
  /** Requests with valid or no credentials, and those that got 401. */
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
