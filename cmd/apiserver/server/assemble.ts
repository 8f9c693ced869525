import { fileURLToPath } from 'node:url';
import { endFor, madeWithFor } from '../../../pkg/management/accesskeys/unlimited.js';
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import { peopleOf } from '../../../pkg/management/standingrights/people.js';
import { freshnessOf } from '../../../pkg/server/filters/freshness.js';
import type { Filter, Handler } from '../../../pkg/server/httpexchange.js';
import { listBytes } from '../../../pkg/server/filters/flowcontrol/listbytes.js';
import { createHandler } from '../../../pkg/server/handler.js';
import type { HandlerDependencies } from '../../../pkg/server/dependencies.js';
import { isConsolePath, isConsoleRead } from '../../../pkg/management/console/paths.js';
import { mendingMisspelledPaths } from '../../../pkg/server/filters/misspelledpath.js';
import { markingSessions } from '../../../pkg/management/console/sessionrequests.js';
import { isDocsPath, isDocsRead } from '../../../pkg/server/routes/docs/paths.js';
import { servingFrontPage } from '../../../pkg/management/console/frontpage.js';
import type { DebugRoutes } from '../../../pkg/server/routes/debug.js';
import { ISSUER_PATHS } from '../../../pkg/server/routes/issuerpaths.js';
import { LOGIN_PATHS, WORKLOAD_TOKEN } from '../../../pkg/management/login/paths.js';
import { CLUSTER_JOIN } from '../../../pkg/management/clusters/join/path.js';
import { managementServices } from '../../../pkg/management/openservices.js';
import { readDocs } from '../../../pkg/server/routes/docs/site.js';
import { createObserver } from '../../../pkg/server/observer.js';
import { createOther, type OtherDependencies } from '../../../pkg/server/routes/nonresource.js';
import type { RequestServiceParts } from '../../../pkg/server/handlers/virtualresourceservices.js';
import { InSlices } from '../../../pkg/server/filters/inslices.js';
import { refusingWhileShuttingDown } from '../../../pkg/server/filters/shutdown.js';
import { turnAway } from '../../../pkg/server/filters/turnaway.js';
import { ACCESS_RESOURCES } from '../../../pkg/management/accessresources.js';
import type { FeatureRoutes } from '../../../pkg/management/routes.js';
import { watchAccess } from '../../../pkg/server/revalidation/accessrevision.js';
import type { ResourceStores } from '../../../pkg/server/resources.js';
import { isTunnel } from '../../../pkg/tunnel/accept.js';
import { openProjectUsage } from '../../../pkg/management/projects/usage/used.js';
import { openAuditSearch } from './auditing.js';
import { auditOfRequests, leftOutOfAudit } from './auditofrequests.js';
import type { Console } from '../../../pkg/management/console/open.js';
import type { ManagementServices } from '../../../pkg/management/services.js';
import { openFeatures } from './features.js';
import type { Operations } from './telemetry.js';
import { openTunnels, type OpenTunnels } from './opentunnels.js';
import { BINDING_RECORDS } from '../../../pkg/management/instances/kubeconfig/bindingrecord.js';
import { bindingRecorder } from '../../../pkg/management/instances/virtualclusterbindings/bindings.js';
import { inWords } from '../../../pkg/apimachinery/starterror.js';
import type { Parts } from './requestparts.js';

/** The output of `make docs`, beside the folders of the compiled server. */
const DOCS = fileURLToPath(new URL('../../../docs.json', import.meta.url));

/** The limits of 429 responses: few in a turn of the event loop, as they take time from admitted requests. */
const TURNED_AWAY = { aTurn: 16, queueLength: 10_000, timeoutMs: 1_000 };

/** Assembles the request path. */
export function assemble(parts: Parts): Handler {
  const { operations, stores, registry, authorizer, visibility } = parts;
  const { config, log, controllers, watches, activity, flow, blocks } = operations;
  const { console, login, workload, joinTokens, links, failed } = openFeatures(parts);
  const docs = config.console ? readDocs(DOCS) : undefined;
  const isPublic = publicPaths(console !== undefined, docs !== undefined);
  const isForCredentials = credentialPaths(workload !== undefined, login !== undefined);
  const access = watchAccess(registry.cache, ACCESS_RESOURCES, parts.objects);
  parts.onCredentialsEnded?.(access.moved);
  const tunnels = openTunnels(parts);
  const authenticator = tunnels.authenticating(withSessions(parts.authenticator, console));
  return createHandler({
    stores,
    ...freshness(parts),
    authenticator,
    authorizer,
    visibility,
    access,
    services: servicesOf(parts, { joinTokens, invitations: links }),
    anonymous: (path) => config.anonymous || isPublic(path) || isForCredentials(path),
    alwaysAllowed: isPublic,
    keepsConnection: keepsConnectionFor(isPublic),
    other: otherOf(parts, {
      join: { tokens: joinTokens, failed },
      login,
      workload,
      console: console && {
        ...console,
        flow: login?.flow,
        docs: docs !== undefined,
        serverName: config.serverName,
      },
      docs,
    }),
    blockingDependents: (owner) => controllers.running()?.blocking(owner) ?? [],
    watches,
    activity,
    blocks,
    log,
    clusters: tunnels.clusters,
    tracing: config.tracing,
    audit: auditOfRequests(operations, stores),
    admit: flow.admitting({ listBytes: listBytes(stores), isLongRunning: isTunnel }),
    ...observed(parts, { authenticator, tunnels, console, docs }),
  });
}

type FilterParts = Pick<HandlerDependencies, 'authenticator'> & {
  readonly tunnels: Pick<OpenTunnels, 'marking'>;
  readonly console: Console | undefined;
  readonly docs: object | undefined;
};

/** Requests that filters answer are observed, too. */
function observed(parts: Parts, others: FilterParts): Pick<HandlerDependencies, 'observe' | 'filters'> {
  const observe = observerOf(parts.operations);
  return { observe, filters: filtersOf(parts, { ...others, observe }) };
}

function servicesOf(
  parts: Parts,
  granted: Pick<ManagementServices, 'joinTokens' | 'invitations'>,
): ManagementServices {
  const { operations, stores, registry, authorizer, identities, accessKeys } = parts;
  const { config, auditSink } = operations;
  return managementServices({
    stores,
    authenticator: parts.reviewed,
    authorizer,
    audiences: config.issuing.audiences,
    sign: parts.sign,
    issueToken: parts.issueAccountToken,
    clusters: parts.clusters,
    recordBinding: bindingRecorder(
      parts.storage,
      peopleOf(registry.cache, identities),
      registry.cache.resource(BINDING_RECORDS.resource),
    ),
    lifetimes: lifetimesOf(parts),
    projectUsage: openProjectUsage(registry.stores, config.settings),
    searchAudit: openAuditSearch(config.audit, auditSink),
    ...granted,
    identities,
    keys: accessKeys.index,
    ...config.settings,
  });
}

/** What comes before the stages of a request, from the outside in. */
function filtersOf(
  { operations, stores }: Parts,
  { tunnels, console, docs, ...counting }: FilterParts & Pick<HandlerDependencies, 'observe'>,
): Filter[] {
  const pages = { console: console !== undefined, docs: docs !== undefined };
  return [
    refusingWhileShuttingDown(() => operations.state.refusing),
    mendingMisspelledPaths,
    servingFrontPage(() => operations.address.url, pages),
    ...(pages.console ? [markingSessions] : []),
    tunnels.marking,
    turningAway(operations, stores, counting),
  ];
}

const keepsConnectionFor =
  (isPublic: (path: string) => boolean): NonNullable<HandlerDependencies['keepsConnection']> =>
  (path, method) =>
    isPublic(path) && (isDocsRead(path, method) || isConsoleRead(path, method));

/** The paths that need no authentication. */
const publicPaths =
  (console: boolean, docs: boolean) =>
  (path: string): boolean =>
    (console && isConsolePath(path)) || (docs && isDocsPath(path));

/** Whether an unauthenticated request asks how to get credentials, or how to verify them. */
const credentialPaths =
  (workload: boolean, login: boolean) =>
  (path: string): boolean =>
    ISSUER_PATHS.includes(path) ||
    path === CLUSTER_JOIN ||
    (workload && path === WORKLOAD_TOKEN) ||
    (login && path.startsWith(LOGIN_PATHS));

/** Requests of a session are authenticated only by it; its cookie counts nowhere else. */
function withSessions(others: Authenticator, console: Console | undefined): Authenticator {
  if (console === undefined) return others;
  const { authenticator: sessions } = console;
  return {
    authenticate: (credentials) =>
      (credentials.session === undefined ? others : sessions).authenticate(credentials),
  };
}

/** The handler of non-resource requests. */
function otherOf(
  { operations, documents, health, signingKeys, issuerUrl, registry }: Parts,
  { docs, ...features }: FeatureRoutes & Pick<OtherDependencies, 'docs'>,
): Handler {
  const { config, log, metrics, controllers } = operations;
  return createOther({
    ...documents,
    docs,
    addRoutes: async (app) =>
      (await import('../../../pkg/management/routes.js')).routeFeatures(app, features),
    health,
    metrics,
    reportFailure: (endpoint, check, error) =>
      log.warn({ endpoint, check, reason: inWords(error) }, 'unhealthy'),
    issuer: { url: issuerUrl, keys: signingKeys },
    flags: config.flags,
    debug: debugRoutes(operations, registry),
    ownerGraph: (format) => controllers.running()?.describe('garbage-collector-controller', format),
  });
}

function observerOf({ config, log, metrics, slowRequests }: Operations): HandlerDependencies['observe'] {
  return createObserver({ metrics, log, verbosity: config.verbosity, slowRequests });
}

function debugRoutes(operations: Operations, { cache }: Parts['registry']): DebugRoutes {
  const { slowRequests, watches, activity, blocks, flow } = operations;
  return {
    slowRequests,
    watches,
    activity,
    resources: () => cache.resources(),
    compressedLists: () => blocks.counts(),
    slots: () => flow.counts(),
  };
}

/** The lifetime of credentials issued to a caller. */
function lifetimesOf({ authorizer, accessKeys }: Parts): RequestServiceParts['lifetimes'] {
  return {
    endFor: (caller) => endFor(authorizer, accessKeys.lifetimes, caller),
    keyOf: ({ credential }) => credential && accessKeys.lifetimes.madeWith(credential),
    madeWithFor: (caller) => madeWithFor(authorizer, accessKeys.lifetimes, caller),
  };
}

/** All resources of the store have one revision, so the cache of any of them is sufficient. */
function freshness({
  storage,
  registry,
}: Parts): Pick<HandlerDependencies, 'newestRevision' | 'waitUntilFresh'> {
  const { newestRevision, stores } = registry;
  const [store] = stores;
  if (!storage.capabilities.shared || store === undefined) return { newestRevision };
  return { newestRevision, waitUntilFresh: freshnessOf(store.cache) };
}

function turningAway(
  operations: Operations,
  stores: ResourceStores,
  parts: Pick<HandlerDependencies, 'authenticator' | 'observe'>,
): Filter {
  const { activity, flow } = operations;
  const leftOut = leftOutOfAudit(operations);
  const answers = new InSlices({ ...TURNED_AWAY, now: () => performance.now() });
  return turnAway({ ...parts, stores, activity, flow, leavesOut: leftOut, answers });
}
