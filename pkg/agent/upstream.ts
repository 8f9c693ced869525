/** Pooled connections to an API server, with the agent's own credentials. */
import type { Agent as AnyAgent, ClientRequest } from 'node:http';
import { request } from 'node:https';
import { destinationOf, type HostSettings } from '../hostclient/configuration.js';
import { agentFor, HostConnections, type Settled } from '../hostclient/connections.js';
import type { Upstream, UpstreamRequest } from './interface.js';

/** Less than an API server's idle timeout (90 s). */
const IDLE_MS = 60_000;
const MAX_IDLE = 128;

/** What all requests with the same settings have. */
interface Target extends Settled<{ readonly all: AnyAgent }> {
  readonly url: URL;
  /** Names and values alternate. */
  readonly headers: readonly string[];
}

/** `read`: reads the current settings. The last ones stay in use if that fails. */
export function upstreamTo(read: () => Promise<HostSettings>): Upstream {
  const connections = new HostConnections(read, (settings) => ({
    all: agentFor(settings, { maxFreeSockets: MAX_IDLE, timeout: IDLE_MS }),
  }));
  let target: Target | undefined;
  return {
    async open(sent) {
      const now = connections.current();
      const settled = now instanceof Promise ? await now : now;
      if (target?.settings !== settled.settings) target = targetOf(settled);
      return send(target, sent);
    },
    close: () => connections.close(),
  };
}

function targetOf({ settings, agents }: Settled<{ readonly all: AnyAgent }>): Target {
  const url = new URL(settings.server);
  const credentials = Object.entries(settings.headers).flat();
  return { settings, agents, url, headers: ['Host', url.host, ...basic(settings.auth), ...credentials] };
}

function send(
  { settings, url, agents, headers: own }: Target,
  { method, path, headers }: UpstreamRequest,
): ClientRequest {
  const made = request({
    ...destinationOf(url, path),
    method,
    agent: agents.all,
    ...(settings.proxy !== undefined && settings.tls),
    // Node adds no Host to these.
    headers: [...own, ...headers],
  });
  // An aborted request emits an error even when nobody listens any more.
  made.on('error', () => undefined);
  return made;
}

const basic = (auth: string | undefined): string[] =>
  auth === undefined ? [] : ['Authorization', `Basic ${Buffer.from(auth).toString('base64')}`];
