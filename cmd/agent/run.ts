/** Starts the parts of the agent, and stops them in order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { agentAuthenticator } from '../../pkg/agent/authenticator.js';
import { agentConfiguration } from '../../pkg/agent/configuration.js';
import { agentHandler } from '../../pkg/agent/handle.js';
import { withHealth } from '../../pkg/agent/health.js';
import { inFlight } from '../../pkg/agent/inflight.js';
import type { AuthenticationOptions } from '../../pkg/agent/interface.js';
import { clockReports, type ManagementClock } from '../../pkg/agent/management/clock.js';
import { followManagement, type Management } from '../../pkg/agent/management/connect.js';
import { agentMetrics } from '../../pkg/agent/metrics.js';
import { openRequests, type OpenRequests } from '../../pkg/agent/openrequests.js';
import { apiServerConnections } from '../../pkg/agent/tunnel/apiserver.js';
import { dialTunnel } from '../../pkg/agent/tunnel/dial.js';
import { keepTunnels, type Tunnels } from '../../pkg/agent/tunnel/keep.js';
import { tunnelServer } from '../../pkg/agent/tunnel/serve.js';
import { agentUpgrade } from '../../pkg/agent/upgrade.js';
import { upstreamTo } from '../../pkg/agent/upstream.js';
import { virtualClusters } from '../../pkg/agent/virtualclusters.js';
import type { HostSettings } from '../../pkg/hostclient/configuration.js';
import { connectHost } from '../../pkg/hostclient/connect.js';
import type { Handler } from '../../pkg/server/httpexchange.js';
import { listen } from '../../pkg/server/listener/listener.js';
import { createLog, type Logger } from '../../pkg/server/logging/log.js';
import { SERVER_VERSION } from '../../pkg/server/version.js';
import { followCertificate, loadCertificate } from './certificate.js';
import { serveMetrics } from './metricsserver.js';
import type { AgentOptions } from './options.js';

export interface RunningAgent {
  /** Waits for requests in flight, for the time of the options. */
  stop(): Promise<void>;
}

/** How often long-lived requests are authenticated again. */
const CHECK_INTERVAL_MS = 1_000;
/** The share of each limit that one user may use. */
const SHARE = 0.5;
const RIGHT_CLOCK = 'the clock of this machine is right again';

/** Resolves when the agent listens. Rejects with HostConfigurationError and the system's errors. */
export async function run(options: AgentOptions): Promise<RunningAgent> {
  const log = createLog({ verbosity: 0 });
  const { cluster, kubeconfig, managementKubeconfig, projectNamespacePrefix } = options;
  const failed = (error: unknown): void => log.error({ err: error }, 'unexpected error');
  const warn = (why: string): void => log.warn(why);
  const managementSettings = await agentConfiguration(managementKubeconfig);
  const client = await connectHost({ settings: managementSettings });
  const settings = await agentConfiguration(kubeconfig);
  const host = await connectHost({ settings });
  const upstream = upstreamTo(settings);
  const inside = virtualClusters({ client: host, failed: warn });
  const management = followManagement({ client, cluster, projectNamespacePrefix, failed: sometimes(warn) });
  const { maxRequestsInflight, maxLongRunningRequests: lasting } = options;
  const requests = inFlight({ requests: maxRequestsInflight, lasting, share: SHARE });
  let tunnels: Tunnels | undefined;
  const metrics = agentMetrics({
    revocationsAge: () => management.freshness.age(performance.now()) / 1000,
    keys: () => management.keys().size,
    tunnels: () => tunnels?.open ?? 0,
    inFlight: requests.count,
    clockAhead: () => (management.clock.ahead ?? 0) / 1000,
  });
  const authentication = authenticationOptions(management, options);
  const open = openRequests(authentication);
  const handler = agentHandler({
    ...authentication,
    places: management.places,
    cluster,
    userPrefix: options.userPrefix,
    upstream,
    open,
    scopeSettings: { projectNamespacePrefix },
    virtualCluster: inside.upstream,
    inFlight: requests,
    observe: metrics.observe,
    failed,
  });
  const state = { stopping: false };
  const health = withHealth(handler, { notReady: () => whyNotReady(management, options, state.stopping) });
  const certificate = await loadCertificate(options);
  const listener = await listen({
    address: options.bindAddress,
    port: options.securePort,
    tls: certificate,
    clientCertificates: false,
    handler: health,
    failed,
    upgrades: agentUpgrade,
    nodeObjects: true,
    // Uploads have no timeout; whoever reads a stalled one cuts it.
    requestTimeoutMs: 0,
  });
  const unfollow = followCertificate(options, certificate, (now) => listener.setCertificate(now), failed);
  const served = await serveMetrics(metrics, options.metricsBindAddress);
  const stopChecks = startChecks(open, management.clock, { log, failed });
  const dials = { handler, settings: managementSettings, host: settings, log, failed };
  if (options.tunnel) tunnels = dialing(options, dials);
  log.info({ port: listener.port, metricsPort: served.port, cluster }, 'serving');
  return {
    async stop() {
      state.stopping = true;
      listener.leave();
      await sleep(options.shutdownDelayDuration);
      await Promise.all([tunnels?.stop(options.shutdownTimeout), listener.drain(options.shutdownTimeout)]);
      stopChecks();
      unfollow();
      await management.stop();
      for (const one of [client, host, upstream, inside, served]) one.close();
      logStopped(log);
    },
  };
}

/** Starts the periodic checks. */
function startChecks(
  open: OpenRequests,
  clock: ManagementClock,
  { log, failed }: Pick<Dialing, 'log' | 'failed'>,
): () => void {
  const wrong = (why: string): void => log.warn(why);
  const checkClock = clockReports(clock, { wrong, right: () => log.info(RIGHT_CLOCK) });
  const timer = setInterval(() => {
    checkClock();
    void open.check(performance.now()).catch(failed);
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

interface Dialing {
  readonly handler: Handler;
  readonly settings: () => Promise<HostSettings>;
  /** The settings for the API server of the agent's cluster. */
  readonly host: () => Promise<HostSettings>;
  readonly log: Logger;
  readonly failed: (error: unknown) => void;
}

/** Requests through tunnels are handled like those on the port, except for health. */
function dialing(
  { cluster, tunnelApiServer }: AgentOptions,
  { handler, settings, host, log, failed }: Dialing,
): Tunnels {
  const apiServer = tunnelApiServer ? apiServerConnections(host) : undefined;
  return keepTunnels({
    server: tunnelServer(handler, failed, apiServer),
    dial: async (known, signal) =>
      dialTunnel(await settings(), { cluster, version: SERVER_VERSION, known, signal }),
    failed: sometimes((reason) => log.warn({ reason }, 'there is no tunnel to the management API')),
    changed: (open) => log.info({ open }, 'tunnels to the management API'),
  });
}

function authenticationOptions(
  { keys, identities, accessKeys, revocations, freshness, clock }: Management,
  { cluster, revocationMaxAge }: AgentOptions,
): AuthenticationOptions {
  const { madeWithEnd } = accessKeys;
  const { isRevoked } = revocations;
  const known = { keys, identities, madeWithEnd, isRevoked, now: clock.now };
  const authenticate = agentAuthenticator({ ...known, cluster });
  return { authenticate, freshness, maxAgeMs: revocationMaxAge };
}

const logStopped = (log: Logger): void => log.info('stopped');

/** Why the agent is not ready; undefined: it is. */
function whyNotReady(
  { freshness }: Management,
  { revocationMaxAge }: AgentOptions,
  stopping: boolean,
): string | undefined {
  if (stopping) return 'the agent is shutting down';
  if (freshness.age(performance.now()) <= revocationMaxAge) return undefined;
  return 'the management API has not been heard of for too long';
}

/** Reports each text at most once in ten seconds. */
function sometimes(tell: (text: string) => void): (text: string) => void {
  const loggedAt = new Map<string, number>();
  return (text) => {
    const now = performance.now();
    if (now - (loggedAt.get(text) ?? -Infinity) < 10_000) return;
    if (loggedAt.size > 100) loggedAt.clear();
    loggedAt.set(text, now);
    tell(text);
  };
}
