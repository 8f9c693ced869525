import { endFor, madeWithFor } from '../../../pkg/authorization/unlimited.js';
import type { Identities } from '../../../pkg/authentication/identities/interface.js';
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import { tokenSigner } from '../../../pkg/authentication/issuedtoken/sign.js';
import type { ObjectRightsAuthorizer } from '../../../pkg/authorization/objectrights/authorizer.js';
import type { Authorizer } from '../../../pkg/authorization/interface.js';
import { peopleOf } from '../../../pkg/authorization/standing/people.js';
import type { Visibility } from '../../../pkg/authorization/visibility/visibility.js';
import type { ClusterClient } from '../../../pkg/clusterclient/interface.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import type { BeginAudit } from '../../../pkg/server/filters/audit.js';
import { createAudit } from '../../../pkg/server/filters/audit.js';
import { freshnessOf, type WaitUntilFresh } from '../../../pkg/server/filters/freshness.js';
import type { Handler } from '../../../pkg/server/httpexchange.js';
import { listBytes } from '../../../pkg/server/filters/flowcontrol/listbytes.js';
import { createHandler } from '../../../pkg/server/handler.js';
import type { HealthEndpoint } from '../../../pkg/server/routes/health.js';
import type { SigningKeys } from '../../../pkg/clusteridentity/signingkeys.js';
import { isConsolePath, isConsoleRead } from '../../../pkg/server/routes/console/paths.js';
import { withConsoleApi } from '../../../pkg/server/filters/sessionrequests.js';
import { withFrontPage } from '../../../pkg/server/routes/frontpage.js';
import { ISSUER_PATHS } from '../../../pkg/server/routes/issuerpaths.js';
import { LOGIN_PATHS, WORKLOAD_TOKEN } from '../../../pkg/server/routes/loginpaths.js';
import { managementServices } from '../../../pkg/server/handlers/managementservices.js';
import { createObserver } from '../../../pkg/server/metrics/requestmetrics.js';
import { createOther, type OtherDependencies } from '../../../pkg/server/routes/nonresource.js';
import { requestServices } from '../../../pkg/server/handlers/virtualresourceservices.js';
import type { RequestServiceParts } from '../../../pkg/server/handlers/virtualresourceservices.js';
import { isOfItsKind, showsNoSecrets } from '../../../pkg/server/filters/secretkinds.js';
import { followAccess } from '../../../pkg/server/revalidation/accessrevision.js';
import type { ResourceStores } from '../../../pkg/server/resources.js';
import type { Presence } from '../../../pkg/tunnel/accept.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import type { AccessKeys } from './accesskeys.js';
import { openConsole, type Console } from './console.js';
import { openLogin } from './login.js';
import { openWorkload } from './workload.js';
import type { Operations } from './telemetry.js';
import { openTunnels } from '../tunnels/opentunnels.js';
import { bindingRecorder } from '../controllers/bindingrights.js';
import { inWords } from '../starterror.js';
import type { ServedDocuments } from './documents.js';

/** What the request path is made of. */
export interface Parts {
  readonly operations: Operations;
  /** The kinds that are served. */
  readonly stores: ResourceStores;
  readonly documents: ServedDocuments;
  readonly health: readonly HealthEndpoint[];
  readonly storage: Pick<Storage, 'capabilities' | 'get' | 'scan' | 'commit'>;
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  /** Whose tokens this server vouches for to others. */
  readonly reviewed: Authenticator;
  readonly authorizer: Authorizer;
  readonly objects: ObjectRightsAuthorizer;
  readonly identities: Identities;
  readonly visibility: Visibility;
  readonly signingKeys: SigningKeys;
  readonly pepper: Buffer;
  readonly accessKeys: Pick<AccessKeys, 'authenticator' | 'index' | 'lifetimes'>;
  readonly clusters: ClusterClient;
  /** Of this server among those of the store. */
  readonly presence: Presence;
  /** Calls the listener when a credential may have ended of which the registry does not tell. */
  readonly onCredentialsEnded?: (listener: () => void) => void;
}

/** Puts the request path together. */
export function assemble(parts: Parts): Handler {
  const { operations, stores, registry, authorizer, visibility, signingKeys } = parts;
  const { identities, pepper, accessKeys, clusters, reviewed } = parts;
  const { config, log, metrics, controllers, watches, activity, flow } = operations;
  const url = (): string => operations.address.url;
  const { audiences, issuer, directEndpointAudience } = config.issuing;
  const issuerUrl = (): string => issuer ?? url();
  const console = openConsole({
    ...{ config: config.console, registry, accessKeys, pepper },
    notBuilt: (directory) => log.warn({ directory }, 'the console was not built: /console is not served'),
  });
  const login = openLogin({
    ...{ config: config.login, registry, storage: parts.storage, url, pepper, console: console?.sessions },
    failed: (error) => log.warn({ reason: inWords(error) }, 'a login did not work'),
  });
  const workload = openWorkload(config.workload, registry, log);
  const access = followAccess(registry.cache, parts.objects);
  parts.onCredentialsEnded?.(access.moved);
  const sign = tokenSigner(signingKeys, issuerUrl);
  const tunnels = openTunnels(parts);
  const handler = createHandler({
    stores,
    waitUntilFresh: catchUpOf(parts),
    authenticator: tunnels.authenticating(withSessions(parts.authenticator, console)),
    ...{ authorizer, visibility, access },
    services: requestServices({
      ...{ stores, authenticator: reviewed, authorizer, audiences, sign, clusters },
      recordBinding: bindingRecorder(parts.storage, peopleOf(registry.cache, identities)),
      lifetimes: lifetimesOf(parts),
      management: managementServices({
        ...{ stores, identities, sign, directEndpointAudience },
        keys: accessKeys.index,
      }),
      ...config.settings,
    }),
    anonymous: (path) =>
      config.anonymous ||
      ISSUER_PATHS.includes(path) ||
      (workload !== undefined && path === WORKLOAD_TOKEN) ||
      (login !== undefined && path.startsWith(LOGIN_PATHS)) ||
      (console !== undefined && isConsolePath(path)),
    alwaysAllowed: (path) => console !== undefined && isConsolePath(path),
    keepsConnection: (path, method) => console !== undefined && isConsoleRead(path, method),
    other: otherOf(parts, {
      login,
      workload,
      console: console && { ...console, flow: login?.flow },
      issuerUrl,
    }),
    blockingDependents: (owner) => controllers.running()?.blocking(owner) ?? [],
    ...{ watches, activity, log, clusters: tunnels.clusters },
    audit: auditOfRequests(operations, stores),
    admit: flow.admitting(listBytes(stores)),
    observe: createObserver({ metrics, log, verbosity: config.verbosity }),
  });
  const marked = tunnels.marking(handler);
  const all = console === undefined ? marked : withConsoleApi(marked);
  return withFrontPage(all, url, console !== undefined);
}

/** Requests of a session are judged by it alone, and no others: a cookie counts nowhere else. */
function withSessions(others: Authenticator, console: Console | undefined): Authenticator {
  if (console === undefined) return others;
  const { authenticator: sessions } = console;
  return {
    authenticate: (credentials) =>
      (credentials.session === undefined ? others : sessions).authenticate(credentials),
  };
}

/** What is no resource. */
function otherOf(
  { operations, documents, health, signingKeys }: Parts,
  {
    issuerUrl,
    ...routes
  }: Pick<OtherDependencies, 'login' | 'workload' | 'console'> & { readonly issuerUrl: () => string },
): Handler {
  const { log, metrics, controllers } = operations;
  return createOther({
    ...{ ...documents, ...routes, health, metrics },
    reportFailure: (endpoint, check, error) =>
      log.warn({ endpoint, check, reason: inWords(error) }, 'unhealthy'),
    issuer: { url: issuerUrl, keys: signingKeys },
    ownerGraph: (format) => controllers.running()?.describe('garbage-collector-controller', format),
  });
}

/** How long what is issued to a caller lives. */
function lifetimesOf({ operations, authorizer, accessKeys }: Parts): RequestServiceParts['lifetimes'] {
  const { maxTokenSeconds, maxCertificateSeconds } = operations.config.issuing;
  return {
    maxTokenSeconds,
    maxCertificateSeconds,
    endFor: (caller) => endFor(authorizer, accessKeys.lifetimes, caller),
    keyOf: ({ credential }) => credential && accessKeys.lifetimes.madeWith(credential),
    madeWithFor: (caller) => madeWithFor(authorizer, accessKeys.lifetimes, caller),
  };
}

/** All resources of the store move together, so any of them will do. */
function catchUpOf({ storage, registry }: Parts): WaitUntilFresh | undefined {
  const [store] = registry.stores;
  if (!storage.capabilities.shared || store === undefined) return undefined;
  return freshnessOf(store.newestRevision, store.cache);
}

export function auditOfRequests(
  { config, auditSink: sink, auditSampler: sampler }: Operations,
  stores: ResourceStores,
): BeginAudit {
  if (sink === undefined) return () => undefined;
  const { policy, strict } = config.audit;
  return createAudit({
    policy,
    sink,
    sampler,
    strict,
    mayShow: showsNoSecrets(stores),
    mayShowSent: isOfItsKind(stores),
  });
}
