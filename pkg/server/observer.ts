import type { Observation } from './dependencies.js';
import type { SlowRequests } from './debug/slowrequests.js';
import { briefly, loggableUrl, type Logger, REQUESTS_FROM, CLIENTS_FROM } from './logging/log.js';
import type { Metrics, RequestRecord } from './metrics/metrics.js';

export interface ObserverDependencies {
  readonly metrics: Pick<Metrics, 'recordRequest'>;
  readonly log: Pick<Logger, 'info'>;
  readonly verbosity: number;
  /** Absent: none are kept. */
  readonly slowRequests?: Pick<SlowRequests, 'record'> | undefined;
}

/** Counts every answered request, and writes its log line at the right verbosity. */
export function createObserver({
  metrics,
  log,
  verbosity,
  slowRequests,
}: ObserverDependencies): (o: Observation) => void {
  return (observation) => {
    const { info, code, milliseconds } = observation;
    metrics.recordRequest(recordOf(observation));
    slowRequests?.record(observation);
    if (verbosity < REQUESTS_FROM) return;
    const { auditId } = observation;
    const user = briefly(observation.user);
    const impersonated = observation.impersonated && briefly(observation.impersonated);
    const url = briefly(loggableUrl(info.path, info.query));
    const verb = briefly(info.verb);
    const ms = Math.round(milliseconds * 1000) / 1000;
    const client = verbosity < CLIENTS_FROM ? undefined : clientOf(observation);
    log.info({ auditId, verb, url, user, impersonated, code, ms, ...client }, 'request');
  };
}

/** Long user agents are cut at this many characters. */
const MAX_USER_AGENT = 1024;

function clientOf({ request }: Observation): object {
  const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT);
  return { address: request.socket.remoteAddress, http: request.httpVersion, userAgent };
}

/** Methods that HTTP knows; any other is counted together, so that clients cannot make labels. */
const METHODS = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options']);
const METHOD_OF_VERB: Record<string, string> = { create: 'POST', update: 'PUT' };
/** Unknown paths are counted without their names, which must not become labels. */
function recordOf({ info, applies, served, code, milliseconds, traceId }: Observation): RequestRecord {
  const seconds = milliseconds / 1000;
  if (info.kind === 'path' || !served) {
    const verb = info.kind === 'path' ? methodOf(info.verb) : verbOf(info.verb);
    return {
      verb,
      dryRun: '',
      group: '',
      version: '',
      resource: '',
      subresource: '',
      scope: '',
      code,
      seconds,
      traceId,
    };
  }
  const { group, version, resource, subresource, name, namespace, verb, query } = info;
  return {
    verb: applies ? 'APPLY' : verbOf(verb),
    dryRun: query.includes('dryRun=All') ? 'All' : '',
    group,
    version,
    resource,
    subresource,
    scope: name !== '' || verb === 'create' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster',
    code,
    seconds,
    traceId,
  };
}

const methodOf = (method: string): string => (METHODS.has(method) ? method.toUpperCase() : 'other');
const verbOf = (verb: string): string => METHOD_OF_VERB[verb] ?? verb.toUpperCase();
