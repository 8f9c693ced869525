/** The life of a request, top to bottom. Stage bodies are in sibling files. */
import { otherRights, unknownResource, type StatusError } from '../apimachinery/errors.js';
import { EVERYTHING } from '../registry/visibilityfilter.js';
import { inTrace } from '../tracing/current.js';
import { dispatch } from './dispatch.js';
import type { DispatchDependencies, HandlerDependencies } from './dependencies.js';
import { stageTimes } from './stages.js';
import { failureOf, logUnknown, sendFailure, sendOverloaded } from './failure.js';
import type { AuthenticatedCaller } from '../authentication/interface.js';
import { authenticate } from './filters/authentication.js';
import { authorize } from './filters/authorization.js';
import { checkTimeout } from './filters/deadline.js';
import { Overloaded } from './filters/flowcontrol/fairslots.js';
import { impersonate } from './filters/impersonation/impersonation.js';
import { resolve } from './filters/namespaceresolver.js';
import { endTrace } from './filters/tracing.js';
import { isApply } from './handlers/apply.js';
import type { Handler } from './httpexchange.js';
import { TimeoutLog } from './logging/timeoutlog.js';
import { virtualResource } from './activity.js';
import { RequestContext } from './requestcontext.js';
import type { RequestInfo } from './requestinfo.js';
import type { ResourceStores } from './resources.js';
import { endEarly } from './revalidation/endearly.js';
import type { Permitted } from './revalidation/openrequest.js';
import { OpenRequests } from './revalidation/openrequests.js';
import { requestStages } from './revalidation/requeststages.js';

export function createHandler(dependencies: HandlerDependencies): Handler {
  const { stores, watches, authorizer, visibility, activity, services, blockingDependents } = dependencies;
  const { filters, access, tracing, blocks } = dependencies;
  const verbs = { stores, watches, authorizer, visibility, services, blockingDependents, blocks };
  const { inFlight } = activity;
  const requests = access && new OpenRequests(access, requestStages(dependencies));
  const timeouts = new TimeoutLog(dependencies.log);
  return async (exchange) => {
    for (const filter of filters) if (filter(exchange)) return;
    const context = new RequestContext(exchange, dependencies.newestRevision);
    const kind = virtualResource(context.info);
    if (kind !== undefined) inFlight[kind] += 1;
    context.open = requests?.begin(exchange, {
      ended: (error, credential) => revoke(context, error, credential),
      valid: () => context.watch?.resume(),
    });
    const trace = (context.trace = tracing?.begin(exchange.request.headers, context.began));
    const permit = (permitted: Permitted): void => {
      if (context.open !== undefined) requests?.permit(context.open, permitted);
    };
    const work = (): Promise<void> => answer(dependencies, verbs, context, permit);
    try {
      await (trace === undefined ? work() : inTrace(trace, work));
    } catch (error) {
      if (error instanceof Overloaded) activity.dropped[kind ?? 'watch'] += 1;
      timeouts.failed(error, context);
      if (!context.revoked) refuse(dependencies, context, error);
    } finally {
      exchange.end.after(() => {
        if (kind !== undefined) inFlight[kind] -= 1;
        exchange.slot?.release();
        if (context.open !== undefined) requests?.close(context.open);
        finished(dependencies, context);
      });
    }
  };
}

/** The outcome of a request is recorded when its answer has ended. */
function finished({ stores, observe }: HandlerDependencies, context: RequestContext): void {
  const { exchange, asked: info, stages, began, auditId, client, impersonated } = context;
  const { request, response } = exchange;
  const ended = performance.now();
  const code = response.statusCode;
  context.audit?.completed(code);
  const served = isServed(stores, info);
  observe({
    info,
    code,
    user: client?.name ?? '',
    impersonated,
    request,
    applies: info.verb === 'patch' && isApply(request.headers['content-type']),
    served,
    milliseconds: ended - began,
    longRunning: context.longRunning || info.verb === 'watch',
    stages: () => stageTimes(stages, began, ended),
    auditId,
    traceId: endTrace(context, served, ended),
  });
}

/** One line for each stage. Throws errors that {@link failureOf} converts to a Status. */
async function answer(
  dependencies: HandlerDependencies,
  verbs: DispatchDependencies,
  context: RequestContext,
  permit: (permitted: Permitted) => void,
): Promise<void> {
  const { stores, other, authorizer } = dependencies;
  const { exchange, asked, stages } = context;
  checkTimeout(asked);
  const fresh = dependencies.waitUntilFresh?.(asked, context.revision);
  if (fresh !== undefined) await fresh;
  if (exchange.end.over) return;
  stages.fresh = fresh === undefined ? context.began : performance.now();
  // What is there is not awaited, here and below: a request that waits for nothing is answered within its turn.
  const known = authenticate(dependencies, exchange, asked);
  const authenticated = known instanceof Promise ? await known : known;
  const client = (context.client = context.user = authenticated.user);
  stages.authenticated = performance.now();
  context.trace?.authenticated(client.groups);
  const audit = (context.audit = dependencies.audit(context));
  const kept = audit?.received();
  if (kept !== undefined) await kept;
  if (exchange.cluster !== undefined) return passOn(dependencies, context, authenticated, permit);
  const acting = impersonate(authorizer, client, { exchange, info: asked, record: audit });
  const user = (context.user = acting instanceof Promise ? await acting : acting);
  const slot = dependencies.admit(client, asked, exchange);
  exchange.slot = slot instanceof Promise ? await slot : slot;
  stages.admitted = performance.now();
  if (exchange.end.over) return;
  if (asked.kind === 'path' && dependencies.alwaysAllowed?.(asked.path) === true)
    return answerElsewhere(context, other);
  const found = resolve(dependencies, user, asked, audit);
  const resolved = found instanceof Promise ? await found : found;
  const permission = authorize(dependencies, user, resolved, audit);
  const { info, view } = permission instanceof Promise ? await permission : permission;
  context.info = info;
  context.view = view;
  stages.authorized = performance.now();
  permit({ client: authenticated, caller: user, info, view });
  const tunnel = dependencies.clusters?.accept(exchange, info, user);
  context.longRunning = tunnel !== undefined;
  if (tunnel !== undefined) return tunnel;
  if (info.kind === 'path' || !stores.servesGroup(info.group)) return answerElsewhere(context, other);
  await dispatch(verbs, context, info);
  if (info.verb === 'watch' && exchange.response.headersSent) started(stores, context);
}

/** Leaves a path, or a kind that is not stored, to its own routes. */
function answerElsewhere(
  { exchange, audit, auditId }: RequestContext,
  other: HandlerDependencies['other'],
): ReturnType<HandlerDependencies['other']> {
  exchange.audit = audit;
  exchange.response.setHeader('Audit-Id', auditId);
  return other(exchange);
}

/** Records the start of a watch, and ends its trace. */
function started(stores: ResourceStores, context: RequestContext): void {
  const { trace, stages, asked } = context;
  context.audit?.started(context.exchange.response.statusCode);
  if (trace === undefined) return;
  const ended = performance.now();
  trace.record('watch', stages.authorized, ended);
  endTrace(context, isServed(stores, asked), ended);
}

/** Proxies the request to a connected cluster. It is revalidated while it lasts, like every other. */
function passOn(
  { clusters }: HandlerDependencies,
  context: RequestContext,
  client: AuthenticatedCaller,
  permit: (permitted: Permitted) => void,
): Promise<void> {
  if (clusters === undefined) throw unknownResource();
  const { exchange, auditId, asked: info } = context;
  context.longRunning = true;
  exchange.response.setHeader('Audit-Id', auditId);
  permit({ client, caller: client.user, info, view: EVERYTHING, proxied: true });
  return clusters.pass(exchange, client.user);
}

/** Ends a request whose credential, or right, has ended. */
function revoke(context: RequestContext, error: StatusError, credential: boolean): void {
  if (context.watch !== undefined) return context.watch.revoke((credential ? error : otherRights()).status);
  context.revoked = endEarly(context, error);
  if (context.revoked) context.audit?.failed(error.status);
}

function isServed(stores: ResourceStores, info: RequestInfo): boolean {
  if (info.kind !== 'resource') return false;
  const { subresource } = info;
  const store = stores.find(info);
  if (store === undefined) return stores.findRequest(info) !== undefined;
  return subresource === '' || store.definition.subresources.some(({ name }) => name === subresource);
}

/** Every failure ends here: with a `Status` if no headers were sent yet, else by closing the connection. */
function refuse(dependencies: HandlerDependencies, context: RequestContext, error: unknown): void {
  const { exchange, asked } = context;
  const { response, end } = exchange;
  try {
    const store = asked.kind === 'resource' ? dependencies.stores.find(asked) : undefined;
    const failure = failureOf(error, context, store, dependencies.log);
    if (context.client === undefined) context.audit = dependencies.audit(context);
    context.audit?.failed(failure.status);
    if (response.headersSent || end.over) return end.cut();
    if (error instanceof Overloaded) sendOverloaded(context);
    else sendFailure(context, failure);
  } catch (unsendable) {
    logUnknown(dependencies.log, context, unsendable);
    end.cut();
  }
}
