/** Adds to traces what the log and the audit log contain, and no more. */
import type { RequestTrace } from '../../tracing/interface.js';
import type { Stages } from '../debug/stages.js';
import { briefly, loggableUrl } from '../logging/log.js';
import type { RequestInfo } from '../requestinfo.js';
import type { Call } from '../requestcontext.js';

/** A request that is over, or a watch that has begun. */
export interface TracedRequest {
  readonly call: Call;
  readonly info: RequestInfo;
  readonly stages: Stages;
  /** Whether it names a resource that this server has. */
  readonly served: boolean;
  readonly ended: number;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Ends the trace of a request. Returns its id if it is exported. */
export function endTrace(trace: RequestTrace, request: TracedRequest): string | undefined {
  // The request is not authenticated.
  trace.authenticated([]);
  const { traceId } = trace;
  if (traceId === undefined) {
    trace.end({ name: '', attributes: {}, failed: false, ended: request.ended });
    return undefined;
  }
  const { call, info, stages, served, ended } = request;
  const code = call.exchange.response.statusCode;
  recordStages(trace, stages, call.began, code < 400 ? undefined : ended);
  const method = methodOf(call);
  const route = served && info.kind === 'resource' ? routeOf(info) : undefined;
  const query = loggableUrl('', info.query).slice(1);
  trace.end({
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.response.status_code': code,
      'url.path': briefly(loggableUrl(info.path, '')),
      'audit-id': call.auditId,
      ...(query === '' ? {} : { 'url.query': briefly(query) }),
      ...(route === undefined ? {} : { 'http.route': route }),
    },
    failed: code >= 500,
    ended,
  });
  return traceId;
}

/** Records the finished stages and, for a failed request, the stage of the failure. */
function recordStages(trace: RequestTrace, stages: Stages, began: number, failed: number | undefined): void {
  const { fresh, authenticated, admitted, authorized } = stages;
  let before = began;
  const named = {
    freshness: fresh,
    authentication: authenticated,
    flowcontrol: admitted,
    authorization: authorized,
  };
  for (const [name, at] of Object.entries(named)) {
    if (at === 0) {
      if (failed !== undefined) trace.record(name, before, failed);
      return;
    }
    // Most requests do not wait for freshness.
    if (at !== before) trace.record(name, before, at);
    before = at;
  }
}

function methodOf({ exchange: { request } }: Call): string {
  const { method = '' } = request;
  return METHODS.includes(method) ? method : '_OTHER';
}

/** As kube-apiserver names its spans: without names from clients. */
function routeOf(info: Extract<RequestInfo, { kind: 'resource' }>): string {
  const { group, version, namespace, resource, name, subresource } = info;
  const parts = [
    ...(group === '' ? ['api'] : ['apis', group]),
    version,
    ...(namespace === '' ? [] : ['namespaces', '{:namespace}']),
    resource,
    ...(name === '' ? [] : ['{:name}']),
    ...(subresource === '' ? [] : [subresource]),
  ];
  return `/${parts.join('/')}`;
}
