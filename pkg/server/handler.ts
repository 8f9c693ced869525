/** The life of a request, top to bottom. Stage bodies are in sibling files. */
import type { IncomingMessage } from 'node:http';
import type { StatusError } from '../apimachinery/errors.js';
import { unknownResource } from '../apimachinery/errors.js';
import type { Authenticator, User } from '../authentication/interface.js';
import type { Authorizer } from '../authorization/interface.js';
import type { Visibility } from '../authorization/visibility/visibility.js';
import { EVERYTHING } from '../registry/visibilityfilter.js';
import type { RequestServices } from '../registry/virtualresource.js';
import type { AuthenticatedCaller } from './filters/access.js';
import { authenticate, authorize } from './filters/access.js';
import { clusterRequestOf } from './filters/clusterrequests.js';
import type { Activity } from './metrics/inflight.js';
import { virtualResource } from './metrics/inflight.js';
import { isApply } from './handlers/apply.js';
import type { AuditRecord, BeginAudit } from './filters/audit.js';
import type { Call } from './requestcontext.js';
import { authenticatedCall, beginCall } from './requestcontext.js';
import type { WaitUntilFresh } from './filters/freshness.js';
import { checkTimeout } from './filters/deadline.js';
import type { BlockingDependents } from './handlers/deletewarnings.js';
import type { DispatchDependencies } from './dispatch.js';
import { dispatch } from './dispatch.js';
import type { Exchange, Handler } from './httpexchange.js';
import { failureOf, logUnknown, sendFailure, sendOverloaded } from './failure.js';
import { Overloaded } from './filters/flowcontrol/fairslots.js';
import type { Admit } from './filters/flowcontrol/flowcontrol.js';
import { createBlockCache } from './responsewriters/listgzip/blockcache.js';
import { impersonate } from './filters/impersonation.js';
import type { Logger } from './logging/log.js';
import type { RequestInfo } from './requestinfo.js';
import { requestInfo } from './requestinfo.js';
import { resolve } from './filters/namespaceresolver.js';
import type { AccessRevision } from './revalidation/accessrevision.js';
import { askingAgain } from './revalidation/askagain.js';
import { endEarly } from './revalidation/endearly.js';
import type { OpenRequest } from './revalidation/openrequest.js';
import type { OpenRequests } from './revalidation/openrequests.js';
import { createOpenRequests } from './revalidation/openrequests.js';
import type { ResourceStores } from './resources.js';
import type { Watches } from './watch/watchregistry.js';

/** What is known of a request when it has been answered. */
export interface Observation {
  readonly info: RequestInfo;
  /** Whether it is a PATCH that applies. */
  readonly applies: boolean;
  /** Whether it names a resource, and subresource, that this server has. */
  readonly served: boolean;
  readonly code: number;
  readonly milliseconds: number;
  /** Who proved to be the client. */
  readonly user: string;
  /** Whom it acted as, if it asked to be another. */
  readonly impersonated: string | undefined;
  readonly auditId: string;
  /** Where it came from, for the log: address, protocol, user agent. */
  readonly request: Pick<IncomingMessage, 'headers' | 'httpVersion' | 'socket'>;
}

export interface HandlerDependencies {
  readonly stores: ResourceStores;
  /** Absent where no other server writes to the store. */
  readonly waitUntilFresh?: WaitUntilFresh | undefined;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly visibility: Visibility;
  /** Absent where nothing is served that rights could be taken from. */
  readonly access?: AccessRevision | undefined;
  /** What kinds that are only answered ask of the server. */
  readonly services: RequestServices;
  /** Whether requests without credentials for a path go on as `system:anonymous`. */
  readonly anonymous: (path: string) => boolean;
  /** Whether everybody may ask for a path, which judges its requests itself; absent: for none. */
  readonly alwaysAllowed?: (path: string) => boolean;
  /**
   * Whether a request leaves its HTTP/2 connection open although nobody knows who sends it: answered from memory, and
   * browsers send many at a time. Absent: none does.
   */
  readonly keepsConnection?: (path: string, method: string) => boolean;
  /** Answers everything that is not a resource. */
  readonly other: Handler;
  readonly blockingDependents: BlockingDependents;
  readonly watches: Watches;
  readonly log: Pick<Logger, 'error'>;
  readonly observe: (observation: Observation) => void;
  readonly activity: Activity;
  readonly audit: BeginAudit;
  readonly admit: Admit;
  /** Absent where no cluster is reached through this server. */
  readonly clusters?: ClusterTunnels;
}

/** Clusters whose agents have dialled this server. */
export interface ClusterTunnels {
  /** Passes a request that is marked so on to its cluster. `user`: of a token for that cluster. Rejects with StatusError. */
  pass(exchange: Exchange, user: User): Promise<void>;
  /** Whether a request asks to become a tunnel, which it stays for as long as an agent likes. */
  isTunnel(info: RequestInfo): boolean;
  /** Makes it one. Its caller may. Rejects with StatusError. */
  accept(exchange: Exchange, info: RequestInfo): Promise<void>;
}

/** Memory for compressed pieces of lists. */
const COMPRESSED_LISTS_BYTES = 32 * 1024 * 1024;

export function createHandler(dependencies: HandlerDependencies): Handler {
  const { stores, watches, authorizer, activity, services, blockingDependents } = dependencies;
  const { inFlight } = activity;
  const blocks = createBlockCache(COMPRESSED_LISTS_BYTES);
  const verbs = { stores, watches, authorizer, services, blockingDependents, blocks };
  const { access } = dependencies;
  const requests = access && createOpenRequests(access, askingAgain(dependencies));
  return async (exchange) => {
    const call = beginCall(exchange);
    const info = requestInfo(exchange.request.method ?? '', exchange.request.url ?? '/');
    const kind = virtualResource(info);
    if (kind !== undefined) inFlight[kind] += 1;
    const open = requests?.begin(exchange);
    const progress = new Progress(requests, open);
    if (open !== undefined) open.onEnd = (error) => revoke(call, info, progress, error);
    try {
      await answer(dependencies, verbs, call, info, progress);
    } catch (error) {
      if (error instanceof Overloaded) activity.dropped[kind ?? 'watch'] += 1;
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

/** What became of a request is told when its answer is over, one way or another. */
function finished(
  { stores, observe }: HandlerDependencies,
  call: Call,
  info: RequestInfo,
  { user, impersonated, record }: Progress,
): void {
  const { request, response } = call.exchange;
  const code = response.statusCode;
  record?.completed(code);
  observe({
    info,
    code,
    user,
    impersonated,
    request,
    applies: info.verb === 'patch' && isApply(request.headers['content-type']),
    served: isServed(stores, info),
    milliseconds: performance.now() - call.began,
    auditId: call.auditId,
  });
}

/** What is known of a request so far. */
class Progress {
  user = '';
  impersonated: string | undefined = undefined;
  record: AuditRecord | undefined = undefined;
  /** Whether it was ended because its caller could no longer make it. */
  revoked = false;

  constructor(
    readonly requests: OpenRequests | undefined,
    readonly open: OpenRequest | undefined,
  ) {}
}

/** One line for each stage. Throws what {@link failureOf} makes an answer of. */
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
  const behind = dependencies.waitUntilFresh?.(info, call.began);
  if (behind !== undefined) await behind;
  if (exchange.end.over) return;
  const known = authenticate(dependencies, exchange, info);
  const authenticated = known instanceof Promise ? await known : known;
  const { user: client } = authenticated;
  progress.user = client.name;
  const record = (progress.record = dependencies.audit(call, info, client));
  const kept = record?.received();
  if (kept !== undefined) await kept;
  const { clusters } = dependencies;
  if (clusterRequestOf(exchange.request) !== undefined)
    return passOn(dependencies, call, info, authenticated, progress);
  const acting = impersonate(authorizer, client, exchange);
  const caller = acting instanceof Promise ? await acting : acting;
  if (caller !== client) progress.impersonated = caller.name;
  if (caller !== client) record?.impersonated(caller);
  const tunnel = clusters?.isTunnel(info) === true;
  const slot = dependencies.admit(
    client,
    tunnel ? ({ ...info, verb: 'watch' } as RequestInfo) : info,
    exchange,
  );
  exchange.slot = slot instanceof Promise ? await slot : slot;
  if (exchange.end.over) return;
  if (info.kind === 'path' && dependencies.alwaysAllowed?.(info.path) === true) {
    exchange.response.setHeader('Audit-Id', call.auditId);
    return other(exchange);
  }
  const found = resolve(dependencies, caller, info, record);
  const resolved = found instanceof Promise ? await found : found;
  const permission = authorize(dependencies, caller, resolved, record);
  const { info: meant, view } = permission instanceof Promise ? await permission : permission;
  const { open, requests } = progress;
  if (open !== undefined) requests?.permit(open, { client: authenticated, caller, info: meant, view });
  if (tunnel) return clusters?.accept(exchange, meant);
  if (meant.kind === 'path' || !stores.servesGroup(meant.group)) {
    exchange.audit = record;
    exchange.response.setHeader('Audit-Id', call.auditId);
    return other(exchange);
  }
  await dispatch(verbs, authenticatedCall(call, meant, caller, { audit: record, view, open }), meant);
  if (info.verb === 'watch' && exchange.response.headersSent) record?.started(exchange.response.statusCode);
}

/** Asked again while it lasts, as every other. */
function passOn(
  { clusters }: HandlerDependencies,
  { exchange, auditId }: Call,
  info: RequestInfo,
  client: AuthenticatedCaller,
  { open, requests }: Progress,
): Promise<void> {
  if (clusters === undefined) throw unknownResource();
  exchange.response.setHeader('Audit-Id', auditId);
  const { user: caller } = client;
  if (open !== undefined) requests?.permit(open, { client, caller, info, view: EVERYTHING, passedOn: true });
  return clusters.pass(exchange, caller);
}

/** The caller could not make the request any more. */
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

/** Every failure ends here: a `Status` when nothing was sent yet, else the connection breaks off. */
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
