/** The life of a request, top to bottom. Stage bodies are in sibling files. */
import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../authentication/interface.js';
import type { Authorizer } from '../authorization/interface.js';
import type { RequestServices } from '../registry/requestkind.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { authenticate, authorize } from './access.js';
import type { Activity } from './activity.js';
import { requestKind } from './activity.js';
import { isApply } from './applies.js';
import type { Call } from './call.js';
import { beginCall } from './call.js';
import { checkTimeout } from './deadline.js';
import { dispatch } from './dispatch.js';
import type { Handler } from './exchange.js';
import { failureOf, logUnknown, sendFailure } from './failure.js';
import { createBlockCache } from './listgzip/blockcache.js';
import { impersonate } from './impersonate.js';
import type { Logger } from './log.js';
import type { RequestInfo } from './requestinfo.js';
import { requestInfo } from './requestinfo.js';
import type { ResourceStores } from './stores.js';
import type { Watches } from './watches.js';

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
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** What kinds that are only answered ask of the server. */
  readonly services: RequestServices;
  /** Whether requests without credentials go on as `system:anonymous`. */
  readonly anonymous: boolean;
  /** Answers everything that is not a resource. */
  readonly other: Handler;
  readonly watches: Watches;
  readonly log: Pick<Logger, 'error'>;
  readonly observe: (observation: Observation) => void;
  readonly activity: Activity;
}

/** Memory for compressed pieces of lists. */
const COMPRESSED_LISTS_BYTES = 32 * 1024 * 1024;

export function createHandler(dependencies: HandlerDependencies): Handler {
  const { stores, other, observe, watches, authorizer, activity, services } = dependencies;
  const { inFlight } = activity;
  const verbs = { stores, watches, authorizer, services, blocks: createBlockCache(COMPRESSED_LISTS_BYTES) };
  return async (exchange) => {
    const call = beginCall(exchange);
    const info = requestInfo(exchange.request.method ?? '', exchange.request.url ?? '/');
    const store = info.kind === 'resource' ? stores.find(info) : undefined;
    const kind = requestKind(info);
    if (kind !== undefined) inFlight[kind] += 1;
    let user = '';
    let impersonated: string | undefined;
    try {
      checkTimeout(info);
      const client = await authenticate(dependencies, exchange);
      user = client.name;
      const caller = await impersonate(authorizer, client, exchange);
      if (caller !== client) impersonated = caller.name;
      await authorize(dependencies, caller, info);
      if (info.kind === 'path' || !stores.servesGroup(info.group)) {
        exchange.response.setHeader('Audit-Id', call.auditId);
        await other(exchange);
      } else {
        await dispatch(verbs, { ...call, info, user: caller }, info);
      }
    } catch (error) {
      fail(dependencies, call, error, store);
    }
    const { response } = exchange;
    const done = (): void => {
      if (kind !== undefined) inFlight[kind] -= 1;
      const milliseconds = performance.now() - call.began;
      const served = isServed(stores, info);
      const applies =
        isApply(exchange.request.headers['content-type']) && exchange.request.method === 'PATCH';
      observe({
        info,
        applies,
        served,
        code: response.statusCode,
        milliseconds,
        user,
        impersonated,
        request: exchange.request,
        auditId: call.auditId,
      });
    };
    if (response.writableFinished || response.destroyed) done();
    else response.once('close', done);
  };
}

function isServed(stores: ResourceStores, info: RequestInfo): boolean {
  if (info.kind !== 'resource') return false;
  const { subresource } = info;
  const store = stores.find(info);
  if (store === undefined) return stores.findRequest(info) !== undefined;
  return subresource === '' || store.definition.subresources.some(({ name }) => name === subresource);
}

/** Every failure ends here: a `Status` when nothing was sent yet, else the connection breaks off. */
function fail(
  dependencies: HandlerDependencies,
  call: Call,
  error: unknown,
  store: ResourceStore | undefined,
): void {
  const { response } = call.exchange;
  const failure = failureOf(error, call, store, dependencies.log);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  try {
    sendFailure(call, failure);
  } catch (unsendable) {
    logUnknown(dependencies.log, call, unsendable);
    response.destroy();
  }
}
