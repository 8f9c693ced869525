/** Answers requests while the store is not open: from memory where possible, with 503 otherwise. */
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import type { Authorizer } from '../../../pkg/authorization/interface.js';
import type { RequestServices } from '../../../pkg/registry/virtualresource.js';
import { mendingMisspelledPaths } from '../../../pkg/server/filters/misspelledpath.js';
import { refusingWhileShuttingDown } from '../../../pkg/server/filters/shutdown.js';
import { servedUrl, type Handler } from '../../../pkg/server/httpexchange.js';
import { createHandler } from '../../../pkg/server/handler.js';
import type { HealthEndpoint } from '../../../pkg/server/routes/health.js';
import { createObserver } from '../../../pkg/server/observer.js';
import { createOther } from '../../../pkg/server/routes/nonresource.js';
import { requestInfo } from '../../../pkg/server/requestinfo.js';
import { resourceStores } from '../../../pkg/server/resources.js';
import { auditOfRequests } from '../server/auditofrequests.js';
import type { ServedDocuments } from '../../../pkg/server/routes/documents.js';
import type { Operations } from '../server/telemetry.js';
import { inWords } from '../../../pkg/apimachinery/starterror.js';
import { storeUnavailable, storeRefused } from '../../../pkg/registry/generic/storeunavailable.js';

export interface DegradedParts {
  readonly operations: Operations;
  readonly documents: ServedDocuments;
  readonly health: readonly HealthEndpoint[];
  readonly authenticator: Authenticator;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  /** Why a store that answers is not served, for people; undefined: the store does not answer. */
  readonly refused: () => string | undefined;
}

const unavailable = (): never => {
  throw storeUnavailable();
};

/** No kind is served that would call them. */
const NO_SERVICES = {} as RequestServices;

/** Authenticates and authorizes as usual, except requests for our own groups, which get 503. */
export function degradedHandler(parts: DegradedParts): Handler {
  const { operations, documents, health, authenticator, authorizer, refused } = parts;
  const { config, log, metrics, watches, activity, flow, blocks } = operations;
  const none = resourceStores([]);
  const groups = new Set(documents.definitions.map(({ group }) => group));
  const other = createOther({
    ...documents,
    health,
    metrics,
    reportFailure: (endpoint, check, error) =>
      log.warn({ endpoint, check, reason: inWords(error) }, 'unhealthy'),
    issuer: { url: () => operations.address.url, keys: { published: unavailable } },
    flags: config.flags,
  });
  return createHandler({
    filters: [refusingWhileShuttingDown(() => operations.state.refusing), mendingMisspelledPaths],
    stores: none,
    newestRevision: () => Promise.reject(storeUnavailable()),
    authenticator,
    authorizer: {
      authorize: (user, attributes) =>
        attributes.kind === 'resource' && groups.has(attributes.group)
          ? { allowed: true }
          : authorizer.authorize(user, attributes),
      visible: () => ({ objects: 'none' }),
      namespaces: () => [],
      rulesFor: unavailable,
    },
    visibility: {
      applies: () => false,
      view: () => undefined,
      wideView: unavailable,
    },
    services: NO_SERVICES,
    anonymous: () => config.anonymous,
    async other(exchange) {
      const info = requestInfo(exchange.request.method ?? '', servedUrl(exchange));
      if (info.kind === 'resource' && groups.has(info.group)) {
        const why = refused();
        const resource = { group: info.group, plural: info.resource };
        throw why === undefined ? storeUnavailable(resource) : storeRefused(why, resource);
      }
      return other(exchange);
    },
    blockingDependents: () => [],
    watches,
    activity,
    blocks,
    tracing: config.tracing,
    audit: auditOfRequests(operations, none),
    admit: flow.admitting({ listBytes: () => 0 }),
    log,
    observe: createObserver({ metrics, log, verbosity: config.verbosity }),
  });
}
