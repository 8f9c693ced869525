import { bearerAuthenticator } from '../../pkg/authentication/bearer.js';
import { clientCertificateAuthenticator } from '../../pkg/authentication/clientcertificate.js';
import { serviceAccountAuthenticator } from '../../pkg/authentication/serviceaccount/authenticator.js';
import { tokenSigner } from '../../pkg/authentication/issuedtoken/sign.js';
import { directTokenAuthenticator } from '../../pkg/authentication/directtoken/authenticator.js';
import type { Identities } from '../../pkg/authentication/identities/interface.js';
import { unionAuthenticator } from '../../pkg/authentication/union.js';
import type { RunningLoops } from '../../pkg/controllers/run.js';
import type { Authorizer } from '../../pkg/authorization/interface.js';
import type { Visibility } from '../../pkg/authorization/visibility/visibility.js';
import type { Registry } from '../../pkg/registry/registry.js';
import type { ClusterClient } from '../../pkg/clusterclient/interface.js';
import { discoveryDocuments } from '../../pkg/apimachinery/discovery/documents.js';
import { openapiDocuments } from '../../pkg/apimachinery/openapi/documents.js';
import type { AuditSink } from '../../pkg/audit/sink.js';
import type { BeginAudit } from '../../pkg/server/audit.js';
import { createAudit } from '../../pkg/server/audit.js';
import { isOfItsKind, showsNoSecrets } from '../../pkg/server/secretkinds.js';
import { createActivity } from '../../pkg/server/activity.js';
import type { Handler } from '../../pkg/server/exchange.js';
import { flowControl } from '../../pkg/server/flowcontrol/flowcontrol.js';
import { listBytes } from '../../pkg/server/flowcontrol/listbytes.js';
import { ISSUER_PATHS } from '../../pkg/server/issuerpaths.js';
import { LOGIN_PATHS } from '../../pkg/server/loginpaths.js';
import { createOther } from '../../pkg/server/other.js';
import { createHandler } from '../../pkg/server/handle.js';
import { healthEndpoints } from '../../pkg/server/healthchecks.js';
import { adminLookup } from '../../pkg/server/identity/adminlookup.js';
import type { AdminKeyHashes } from '../../pkg/server/identity/adminrecords.js';
import type { ClusterIdentity } from '../../pkg/server/identity/cluster.js';
import type { SigningKeys } from '../../pkg/server/identity/signingkeys.js';
import type { Logger } from '../../pkg/server/log.js';
import { createMetrics, type MetricSources } from '../../pkg/server/metrics.js';
import { createObserver } from '../../pkg/server/observe.js';
import { managementServices } from '../../pkg/server/managementservices.js';
import { newestOf, requestServices } from '../../pkg/server/requestservices.js';
import type { ResourceStores } from '../../pkg/server/stores.js';
import { resourceStores } from '../../pkg/server/stores.js';
import type { Watches } from '../../pkg/server/watches.js';
import type { Storage } from '../../pkg/storage/interface.js';
import type { AccessKeys } from './accesskeys.js';
import type { Config } from './complete.js';
import { openLogin } from './login.js';
import { inWords } from './starterror.js';

/** What the request path is made of. */
export interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly storage: Storage;
  readonly identity: ClusterIdentity;
  readonly registry: Registry;
  readonly authorizer: Authorizer;
  readonly identities: Identities;
  readonly visibility: Visibility;
  readonly adminKeys: AdminKeyHashes;
  readonly signingKeys: SigningKeys;
  /** Where this server is reached, once it is. */
  readonly url: () => string;
  /** Absent where nothing is recorded. */
  readonly auditSink: AuditSink | undefined;
  readonly accessKeys: Pick<AccessKeys, 'authenticator' | 'index'>;
  readonly clusters: ClusterClient;
  readonly watches: Watches;
  readonly state: { readonly stopping: boolean };
  readonly controllers: ControllersState;
}

/** The controllers of this process, which start after the request path is there. */
export interface ControllersState {
  running(this: void): RunningLoops | undefined;
}

/** None while another server runs the controllers. */
function controllerMetrics(state: ControllersState): MetricSources['controllers'] {
  return {
    queues: () => state.running()?.queues() ?? [],
    metrics: () => state.running()?.metrics() ?? [],
  };
}

/** Puts the request path together. */
export function assemble({
  config,
  log,
  storage,
  identity,
  registry,
  authorizer,
  identities,
  visibility,
  adminKeys,
  signingKeys,
  url,
  auditSink,
  accessKeys,
  clusters,
  watches,
  state,
  controllers,
}: Parts): Handler {
  const stores = resourceStores(registry.stores, registry.requests);
  const activity = createActivity();
  const metrics = createMetrics({
    watches,
    activity,
    audit: auditSink,
    controllers: controllerMetrics(controllers),
  });
  const tokens = [
    adminLookup(identity.pepper, adminKeys.current),
    ...(config.tokens === undefined ? [] : [config.tokens]),
  ];
  const health = healthEndpoints({
    storage: () => storage.currentRevision(),
    synced: () => registry.cache.health().loaded,
    shuttingDown: () => state.stopping,
  });
  const { audiences, issuer, directEndpointAudience } = config.issuing;
  const issuerUrl = (): string => issuer ?? url();
  const login = openLogin({
    ...{ config: config.login, registry, url },
    pepper: identity.pepper,
    failed: (error) => log.warn({ reason: inWords(error) }, 'a login did not work'),
  });
  const sign = tokenSigner(signingKeys, issuerUrl);
  const authenticator = unionAuthenticator([
    clientCertificateAuthenticator(),
    bearerAuthenticator(tokens),
    accessKeys.authenticator,
    serviceAccountAuthenticator({
      keys: signingKeys,
      read: (resource, path) => newestOf(stores, resource, path),
      audiences,
    }),
    directTokenAuthenticator({ keys: signingKeys, identities, audience: directEndpointAudience }),
  ]);
  return createHandler({
    stores,
    authenticator,
    authorizer,
    visibility,
    services: requestServices({
      ...{ stores, authenticator, authorizer, audiences, sign, clusters },
      management: managementServices({
        ...{ stores, identities, sign, directEndpointAudience },
        keys: accessKeys.index,
      }),
      ...config.settings,
    }),
    anonymous: (path) =>
      config.anonymous ||
      ISSUER_PATHS.includes(path) ||
      (login !== undefined && path.startsWith(LOGIN_PATHS)),
    other: createOther({
      definitions: stores.definitions,
      discovery: discoveryDocuments(stores.definitions),
      openapi: openapiDocuments(stores.definitions),
      health,
      reportFailure: (endpoint, check, error) =>
        log.warn({ endpoint, check, reason: inWords(error) }, 'unhealthy'),
      metrics,
      issuer: { url: issuerUrl, keys: signingKeys },
      login,
      ownerGraph: (format) => controllers.running()?.describe('garbage-collector-controller', format),
    }),
    blockingDependents: (owner) => controllers.running()?.blocking(owner) ?? [],
    watches,
    activity,
    audit: auditOfRequests(config, auditSink, stores),
    admit: flowControl(config.limits, listBytes(stores)),
    log,
    observe: createObserver({ metrics, log, verbosity: config.verbosity }),
  });
}

function auditOfRequests({ audit }: Config, sink: AuditSink | undefined, stores: ResourceStores): BeginAudit {
  if (sink === undefined) return () => undefined;
  const { policy, strict } = audit;
  return createAudit({
    policy,
    sink,
    strict,
    mayShow: showsNoSecrets(stores),
    mayShowSent: isOfItsKind(stores),
  });
}
