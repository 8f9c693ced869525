import type { ClusterClient } from '../../pkg/clusterclient/interface.js';
import { bootstrapNamespaces } from '../../pkg/registry/core/namespace/bootstrap.js';
import { bootstrapUsers } from '../../pkg/registry/management/user/bootstrap.js';
import { bootstrapRbac } from '../../pkg/registry/rbac/bootstrap/reconcile.js';
import type { Registry } from '../../pkg/registry/registry.js';
import type { Handler } from '../../pkg/server/exchange.js';
import { keepAdminKubeconfig, RENEW_MS, renewAdminKey } from '../../pkg/server/identity/adminkubeconfig.js';
import { followAdminKeys } from '../../pkg/server/identity/adminrecords.js';
import { loadIdentity, type ClusterIdentity } from '../../pkg/server/identity/cluster.js';
import { openSigningKeys } from '../../pkg/server/identity/signingkeys.js';
import { listen, type Listener, type ListenerOptions } from '../../pkg/server/listener.js';
import { loggableError } from '../../pkg/server/loggableerror.js';
import { createLog, type Logger } from '../../pkg/server/log.js';
import type { KeyPair } from '../../pkg/server/pki/issue.js';
import { localUrl } from '../../pkg/server/pki/kubeconfig.js';
import { renewServing } from '../../pkg/server/pki/renewal.js';
import { keepServing, servingNames } from '../../pkg/server/pki/serving.js';
import { reportSparingly } from '../../pkg/server/report.js';
import { refuseWhileShuttingDown } from '../../pkg/server/shutdown.js';
import { createWatches } from '../../pkg/server/watches.js';
import type { Storage } from '../../pkg/storage/interface.js';
import { openAccessKeys } from './accesskeys.js';
import { assemble, type ControllersState } from './assemble.js';
import { openAuditSink } from './auditing.js';
import { openClusters } from './clusters.js';
import type { Config } from './complete.js';
import { openServed } from './served.js';
import { inWords, StartError } from './starterror.js';
import { needingStore, openStorage } from './storage.js';

/** A server that answers requests. */
export interface RunningServer {
  /** Where a client on this machine reaches it: `https://127.0.0.1:6443`. */
  readonly url: string;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
  /**
   * `/readyz` fails, no more connections, watches end, requests under way finish, the store closes. Resolves within
   * ten seconds, also when the store hangs. Never rejects.
   */
  stop(): Promise<void>;
}

/** Of the ten seconds that stopping may take, so many are for requests, so many for everything. */
const DRAIN_MS = 7_000;
const STOP_MS = 9_000;

/** How long a start waits for a store that went away under it. */
const START_PATIENCE_MS = 30_000;

/** How often an operator's certificate is read again: where it is a Secret, a kubelet replaces it as often. */
const OWN_CERTIFICATE_MS = 60_000;

/** What is open, to be closed again in the reverse order. */
type Closers = (() => unknown)[];

/** Opens everything and listens. `write` gets what the operator reads on a terminal. Throws StartError. */
export async function run(
  config: Config,
  write: (text: string) => void,
  log: Logger = createLog({ verbosity: config.verbosity }),
): Promise<RunningServer> {
  const closers: Closers = [];
  try {
    return await start(config, log, write, closers);
  } catch (error) {
    await closeAll(closers, log);
    throw error;
  }
}

async function start(
  config: Config,
  log: Logger,
  write: (text: string) => void,
  closers: Closers,
): Promise<RunningServer> {
  const storage = await openStorage(config.storage);
  closers.push(() => storage.close());
  const needed = <T>(step: Promise<T>): Promise<T> => needingStore(config.storage, step);
  const identity = await needed(loadIdentity(storage));
  const loadCertificate = certificateSource(config, identity);
  const certificate = await loadCertificate();
  const adminKeys = await needed(followAdminKeys(storage));
  closers.push(() => adminKeys.close());
  const report = reportSparingly((problem, error) => log.warn({ reason: inWords(error) }, problem));
  const signingKeys = await needed(
    openSigningKeys(storage, {
      lifeMs: config.issuing.keyLifeMs,
      failed: (error) => report('the signing keys are not kept', error),
    }),
  );
  closers.push(() => signingKeys.close());
  const { pepper } = identity;
  const { settings } = config;
  const { registry, authorizer, identities, visibility } = await needed(
    openServed(storage, config.admission, { giveUpMs: START_PATIENCE_MS, report, pepper, settings }),
  );
  closers.push(() => registry.close());
  const { stores } = registry;
  await needed(Promise.all([bootstrapNamespaces(stores), bootstrapRbac(stores), bootstrapUsers(stores)]));
  const accessKeys = openAccessKeys(registry, identities, pepper, (error) => {
    report('the last use of access keys is not written', error);
  });
  closers.push(() => accessKeys.stop());

  const clusters = openClusters(stores);
  closers.push(() => clusters.close());
  const state = { stopping: false };
  const controllers: ControllersState = { running: () => undefined };
  const watches = createWatches();
  const auditSink = openAuditSink(config.audit, (error) => report('the audit log cannot be written', error));
  closers.push(() => auditSink?.close());
  const own = { identity, registry, authorizer, identities, visibility, adminKeys, signingKeys, auditSink };
  const address = { url: '' };
  const outside = { url: () => address.url, accessKeys };
  const parts = { config, log, storage, clusters, ...own, ...outside, watches, state, controllers };
  const handler = refuseWhileShuttingDown(assemble(parts), () => state.stopping);
  const listener = await openListener(config, certificate, handler, log);
  const renewalFailed = (error: unknown): void =>
    log.error({ reason: inWords(error) }, 'the serving certificate could not be renewed');
  const everyMs = config.ownCertificate === undefined ? undefined : OWN_CERTIFICATE_MS;
  const renewal = renewServing(
    certificate,
    loadCertificate,
    useCertificate(listener),
    renewalFailed,
    everyMs,
  );
  const authority =
    config.ownCertificate === undefined ? identity.authority.certificate : certificate.certificate;
  const url = (address.url = localUrl(config.bindAddress, listener.port));
  closers.push(async () => {
    state.stopping = true;
    renewal.stop();
    const drained = listener.drain(DRAIN_MS);
    watches.shutdown();
    await drained;
  });
  if (config.kubeconfig !== undefined) {
    const key = await writeKubeconfig({ storage, pepper, path: config.kubeconfig, server: url, authority });
    await adminKeys.known(key);
    const renewing = setInterval(() => {
      renewAdminKey(storage, key).catch((error: unknown) => report('the admin key is not renewed', error));
    }, RENEW_MS).unref();
    closers.push(() => clearInterval(renewing));
  }
  announce(config, url, write);
  log.info({ url, engine: storage.capabilities.engine }, 'ready');
  closers.push(beginControllers({ config, registry, storage, authority, clusters, log, state: controllers }));
  return { url, authority, stop: () => stop(closers, log) };
}

interface ControllerParts {
  readonly config: Config;
  readonly registry: Registry;
  readonly storage: Storage;
  readonly authority: string;
  readonly clusters: ClusterClient;
  readonly log: Logger;
  /** Where others find what runs. */
  readonly state: ControllersState;
}

/** Loads and starts the controllers behind the start's back; answers how to stop them. */
function beginControllers(parts: ControllerParts): () => Promise<void> {
  const { config, registry, storage, authority, clusters, log, state } = parts;
  const starting = import('./controllers.js').then(({ startControllers }) => {
    const { stores } = registry;
    const { shared } = storage.capabilities;
    const { controllers: chosen, eventTtlMs, accessKeyRetentionMs } = config;
    const { projectNamespacePrefix } = config.settings;
    const keeping = { eventTtlMs, accessKeyRetentionMs, projectNamespacePrefix };
    const controllers = startControllers({ stores, chosen, shared, authority, clusters, ...keeping, log });
    state.running = controllers.running;
    return controllers;
  });
  starting.catch((error: unknown) =>
    log.error({ error: loggableError(error) }, 'the controllers do not run'),
  );
  return async () => (await starting).stop();
}

function certificateSource(config: Config, identity: ClusterIdentity): () => Promise<KeyPair> {
  const { ownCertificate, certDir, bindAddress } = config;
  if (ownCertificate !== undefined) return () => Promise.resolve(ownCertificate());
  if (certDir === undefined) throw new StartError('--tls-cert-file or --cert-dir must be given');
  return async () => {
    try {
      return await keepServing(certDir, identity.authority, servingNames(bindAddress));
    } catch (error) {
      throw new StartError(`--cert-dir ${certDir}: ${inWords(error)}`, { cause: error });
    }
  };
}

const tlsOf = ({ certificate, key }: KeyPair): ListenerOptions['tls'] => ({ cert: certificate, key });

const useCertificate = (listener: Listener) => (pair: KeyPair) => listener.setCertificate(tlsOf(pair));

async function openListener(
  config: Config,
  certificate: KeyPair,
  handler: Handler,
  log: Logger,
): Promise<Listener> {
  const { bindAddress: address, port, clientAuthorities } = config;
  const failed = (error: unknown): void => {
    log.error({ error: loggableError(error) }, 'a request broke off');
  };
  try {
    return await listen({ address, port, tls: tlsOf(certificate), clientAuthorities, handler, failed });
  } catch (error) {
    throw new StartError(`cannot listen on ${address} port ${port}: ${inWords(error)}`, { cause: error });
  }
}

async function writeKubeconfig(options: Parameters<typeof keepAdminKubeconfig>[0]): Promise<string> {
  try {
    return await keepAdminKubeconfig(options);
  } catch (error) {
    throw new StartError(`--write-kubeconfig ${options.path}: ${inWords(error)}`, { cause: error });
  }
}

function announce({ kubeconfigShown }: Config, url: string, write: (text: string) => void): void {
  const next =
    kubeconfigShown === undefined
      ? 'Start with --write-kubeconfig FILE to get credentials.'
      : `Try: kubectl --kubeconfig ${kubeconfigShown} get sharedsecrets -A`;
  write(`Serving on ${url}\n${next}\n`);
}

async function stop(closers: Closers, log: Logger): Promise<void> {
  log.info('stopping');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log.warn('not everything could be closed in time');
      resolve();
    }, STOP_MS);
  });
  await Promise.race([closeAll(closers, log), late]);
  clearTimeout(timer);
  log.info('stopped');
}

async function closeAll(closers: Closers, log: Logger): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.error({ reason: inWords(error) }, 'closing failed');
    }
  }
}
