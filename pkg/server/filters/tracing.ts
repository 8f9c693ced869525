/** Adds to traces what the log and the audit log contain, and no more. */
import type { RequestTrace } from '../../tracing/interface.js';
import type { Stages } from '../stages.js';
import { briefly, loggableUrl } from '../logging/log.js';
import type { RequestInfo } from '../requestinfo.js';
import type { RequestContext } from '../requestcontext.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Ends the trace of a request that is over, or of a watch that has begun. Returns its id if it is exported. `served`:
 * whether it names a resource that this server has.
 */
export function endTrace(context: RequestContext, served: boolean, ended: number): string | undefined {
  const { trace, asked: info, stages, began } = context;
  if (trace === undefined) return undefined;
  // The request is not authenticated.
  trace.authenticated([]);
  const { traceId } = trace;
  if (traceId === undefined) {
    trace.end({ name: '', attributes: {}, failed: false, ended });
    return undefined;
  }
  const code = context.exchange.response.statusCode;
  recordStages(trace, stages, began, code < 400 ? undefined : ended);
  const method = methodOf(context);
  const route = served && info.kind === 'resource' ? routeOf(info) : undefined;
  const query = loggableUrl('', info.query).slice(1);
  trace.end({
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.response.status_code': code,
      'url.path': briefly(loggableUrl(info.path, '')),
      'audit-id': context.auditId,
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

function methodOf({ exchange: { request } }: RequestContext): string {
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
