/** The life of a request, top to bottom. Stage bodies are in sibling files. */
import { unknownResource, type StatusError } from '../apimachinery/errors.js';
import { EVERYTHING } from '../registry/visibilityfilter.js';
import { authenticate, type AuthenticatedCaller } from './filters/authentication.js';
import { authorize } from './filters/authorization.js';
import { virtualResource } from './metrics/inflight.js';
import { isApply } from './handlers/apply.js';
import type { AuditRecord } from './filters/audit.js';
import { beginCall, type Call } from './requestcontext.js';
import { authenticatedCall } from './authenticatedcall.js';
import { checkTimeout } from './filters/deadline.js';
import type { HandlerDependencies, DispatchDependencies } from './dependencies.js';
import { Stages, stageTimes } from './debug/stages.js';
import { dispatch } from './dispatch.js';
import type { Handler } from './httpexchange.js';
import { TimeoutLog } from './logging/timeoutlog.js';
import { failureOf, logUnknown, sendFailure, sendOverloaded } from './failure.js';
import { Overloaded } from './filters/flowcontrol/fairslots.js';
import { impersonate } from './filters/impersonation.js';
import { requestInfo, type RequestInfo } from './requestinfo.js';
import { resolve } from './filters/namespaceresolver.js';
import { requestStages } from './revalidation/requeststages.js';
import { endEarly } from './revalidation/endearly.js';
import type { OpenRequest } from './revalidation/openrequest.js';
import { OpenRequests } from './revalidation/openrequests.js';
import type { ResourceStores } from './resources.js';
import { inTrace } from '../tracing/current.js';
import type { RequestTrace } from '../tracing/interface.js';
import { endTrace } from './filters/tracing.js';

export function createHandler(dependencies: HandlerDependencies): Handler {
  const { stores, watches, authorizer, visibility, activity, services, blockingDependents } = dependencies;
  const { inFlight } = activity;
  const { blocks } = dependencies;
  const verbs = { stores, watches, authorizer, visibility, services, blockingDependents, blocks };
  const { access, tracing } = dependencies;
  const requests = access && new OpenRequests(access, requestStages(dependencies));
  const timeouts = new TimeoutLog(dependencies.log);
  return async (exchange) => {
    if (dependencies.turnAway?.(exchange) === true) return;
    const call = beginCall(exchange, dependencies.newestRevision);
    const info = requestInfo(exchange.request.method ?? '', exchange.request.url ?? '/');
    const kind = virtualResource(info);
    if (kind !== undefined) inFlight[kind] += 1;
    const open = requests?.begin(exchange);
    const trace = tracing?.begin(exchange.request.headers, call.began);
    const progress = new Progress(requests, open, trace);
    if (open !== undefined) open.onEnd = (error) => revoke(call, info, progress, error);
    try {
      await (trace === undefined
        ? answer(dependencies, verbs, call, info, progress)
        : inTrace(trace, () => answer(dependencies, verbs, call, info, progress)));
    } catch (error) {
      if (error instanceof Overloaded) activity.dropped[kind ?? 'watch'] += 1;
      const { user, impersonated } = progress;
      timeouts.failed(error, { call, info, user, impersonated });
      if (!progress.revoked) refuse(dependencies, call, info, progress, error);
    } finally {
      exchange.end.after(() => {
        if (kind !== undefined) inFlight[kind] -= 1;
        exchange.slot?.release();
        if (open !== undefined) requests?.close(open);
        finished(dependencies, call, info, progress);
      });
    }
  };
}

/** The outcome of a request is recorded when its answer has ended. */
function finished(
  { stores, observe }: HandlerDependencies,
  call: Call,
  info: RequestInfo,
  { user, impersonated, record, longRunning, stages, trace }: Progress,
): void {
  const { request, response } = call.exchange;
  const ended = performance.now();
  const code = response.statusCode;
  record?.completed(code);
  const served = isServed(stores, info);
  const traceId = trace && endTrace(trace, { call, info, stages, served, ended });
  observe({
    info,
    code,
    user,
    impersonated,
    request,
    applies: info.verb === 'patch' && isApply(request.headers['content-type']),
    served,
    milliseconds: ended - call.began,
    longRunning: longRunning || info.verb === 'watch',
    stages: () => stageTimes(stages, call.began, ended),
    auditId: call.auditId,
    traceId,
  });
}

/** The state of a request. */
class Progress {
  user = '';
  impersonated: string | undefined = undefined;
  record: AuditRecord | undefined = undefined;
  /** Whether it was ended because its credential or right has ended. */
  revoked = false;
  longRunning = false;
  readonly stages = new Stages();

  constructor(
    readonly requests: OpenRequests | undefined,
    readonly open: OpenRequest | undefined,
    /** Absent where requests are not traced. */
    readonly trace: RequestTrace | undefined,
  ) {}
}

/** One line for each stage. Throws errors that {@link failureOf} converts to a Status. */
async function answer(
  dependencies: HandlerDependencies,
  verbs: DispatchDependencies,
  call: Call,
  info: RequestInfo,
  progress: Progress,
): Promise<void> {
  const { stores, other, authorizer } = dependencies;
  const { exchange } = call;
  checkTimeout(info);
  const behind = dependencies.waitUntilFresh?.(info, call.revision);
  if (behind !== undefined) await behind;
  if (exchange.end.over) return;
  const { stages } = progress;
  stages.fresh = behind === undefined ? call.began : performance.now();
  const known = authenticate(dependencies, exchange, info);
  const authenticated = known instanceof Promise ? await known : known;
  const { user: client } = authenticated;
  progress.user = client.name;
  stages.authenticated = performance.now();
  progress.trace?.authenticated(client.groups);
  const record = (progress.record = dependencies.audit(call, info, client));
  const kept = record?.received();
  if (kept !== undefined) await kept;
  if (exchange.cluster !== undefined) return passOn(dependencies, call, info, authenticated, progress);
  const acting = impersonate(authorizer, client, exchange);
  const caller = acting instanceof Promise ? await acting : acting;
  if (caller !== client) progress.impersonated = caller.name;
  if (caller !== client) record?.impersonated(caller);
  const slot = dependencies.admit(client, info, exchange);
  exchange.slot = slot instanceof Promise ? await slot : slot;
  stages.admitted = performance.now();
  if (exchange.end.over) return;
  if (info.kind === 'path' && dependencies.alwaysAllowed?.(info.path) === true) {
    exchange.response.setHeader('Audit-Id', call.auditId);
    return other(exchange);
  }
  const found = resolve(dependencies, caller, info, record);
  const resolved = found instanceof Promise ? await found : found;
  const permission = authorize(dependencies, caller, resolved, record);
  const { info: meant, view } = permission instanceof Promise ? await permission : permission;
  stages.authorized = performance.now();
  const { open, requests } = progress;
  if (open !== undefined) requests?.permit(open, { client: authenticated, caller, info: meant, view });
  const tunnel = dependencies.clusters?.accept(exchange, meant);
  progress.longRunning = tunnel !== undefined;
  if (tunnel !== undefined) return tunnel;
  if (meant.kind === 'path' || !stores.servesGroup(meant.group)) {
    exchange.audit = record;
    exchange.response.setHeader('Audit-Id', call.auditId);
    return other(exchange);
  }
  await dispatch(verbs, authenticatedCall(call, meant, caller, { audit: record, view, open }), meant);
  if (info.verb === 'watch' && exchange.response.headersSent) started(stores, call, info, progress);
}

/** Records the start of a watch, and ends its trace. */
function started(stores: ResourceStores, call: Call, info: RequestInfo, progress: Progress): void {
  const { record, trace, stages } = progress;
  record?.started(call.exchange.response.statusCode);
  if (trace === undefined) return;
  const ended = performance.now();
  trace.record('watch', stages.authorized, ended);
  endTrace(trace, { call, info, stages, served: isServed(stores, info), ended });
}

/** Proxies the request to a connected cluster. It is revalidated while it lasts, like every other. */
function passOn(
  { clusters }: HandlerDependencies,
  { exchange, auditId }: Call,
  info: RequestInfo,
  client: AuthenticatedCaller,
  progress: Progress,
): Promise<void> {
  if (clusters === undefined) throw unknownResource();
  progress.longRunning = true;
  const { open, requests } = progress;
  exchange.response.setHeader('Audit-Id', auditId);
  const { user: caller } = client;
  if (open !== undefined) requests?.permit(open, { client, caller, info, view: EVERYTHING, proxied: true });
  return clusters.pass(exchange, caller);
}

/** Ends a request whose credential or right has ended. */
function revoke(call: Call, info: RequestInfo, progress: Progress, error: StatusError): void {
  progress.revoked = endEarly(call, info, error);
  if (progress.revoked) progress.record?.failed(error.status);
}

function isServed(stores: ResourceStores, info: RequestInfo): boolean {
  if (info.kind !== 'resource') return false;
  const { subresource } = info;
  const store = stores.find(info);
  if (store === undefined) return stores.findRequest(info) !== undefined;
  return subresource === '' || store.definition.subresources.some(({ name }) => name === subresource);
}

/** Every failure ends here: with a `Status` if no headers were sent yet, else by closing the connection. */
function refuse(
  dependencies: HandlerDependencies,
  call: Call,
  info: RequestInfo,
  progress: Progress,
  error: unknown,
): void {
  const { response, end } = call.exchange;
  try {
    const store = info.kind === 'resource' ? dependencies.stores.find(info) : undefined;
    const failure = failureOf(error, call, store, dependencies.log);
    if (progress.user === '') progress.record = dependencies.audit(call, info, undefined);
    progress.record?.failed(failure.status);
    if (response.headersSent || end.over) return end.cut();
    if (error instanceof Overloaded) sendOverloaded(call);
    else sendFailure(call, failure);
  } catch (unsendable) {
    logUnknown(dependencies.log, call, unsendable);
    end.cut();
  }
}
