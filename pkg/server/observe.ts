import type { Observation } from './handle.js';
import { loggableUrl, type Logger, REQUESTS_FROM } from './log.js';
import type { Metrics, RequestRecord } from './metrics.js';
import type { RequestInfo } from './requestinfo.js';

export interface ObserverDependencies {
  readonly metrics: Pick<Metrics, 'recordRequest'>;
  readonly log: Pick<Logger, 'info'>;
  readonly verbosity: number;
}

/** Counts every answered request, and writes its log line where the verbosity asks for it. */
export function createObserver({ metrics, log, verbosity }: ObserverDependencies): (o: Observation) => void {
  return (observation) => {
    const { info, code, milliseconds } = observation;
    metrics.recordRequest({ ...recordOf(info), code, seconds: milliseconds / 1000 });
    if (verbosity < REQUESTS_FROM) return;
    const { user, auditId } = observation;
    const url = loggableUrl(info.path, info.query);
    log.info(
      { auditId, verb: info.verb, url, user, code, ms: Math.round(milliseconds * 1000) / 1000 },
      'request',
    );
  };
}

type What = Omit<RequestRecord, 'code' | 'seconds' | 'bytes'>;

/** Methods that HTTP knows; any other is counted together, so that clients cannot make labels. */
const METHODS = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options']);
const METHOD_OF_VERB: Record<string, string> = { create: 'POST', update: 'PUT' };
const NO_RESOURCE = { dryRun: '', group: '', version: '', resource: '', subresource: '', scope: '' } as const;

function recordOf(info: RequestInfo): What {
  if (info.kind === 'path') {
    return { ...NO_RESOURCE, verb: METHODS.has(info.verb) ? info.verb.toUpperCase() : 'other' };
  }
  const { group, version, resource, subresource, name, namespace, verb, query } = info;
  return {
    verb: METHOD_OF_VERB[verb] ?? verb.toUpperCase(),
    dryRun: query.includes('dryRun=All') ? 'All' : '',
    group,
    version,
    resource,
    subresource,
    scope: name !== '' || verb === 'create' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster',
  };
}
