/** Pooled connections to an API server, with the agent's own credentials. */
import type { Agent as AnyAgent, ClientRequest } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { destinationOf, type HostSettings, type TlsSettings } from '../hostclient/configuration.js';
import type { Upstream, UpstreamRequest } from './interface.js';

/** How long settings are cached: a replaced token stays valid for longer. */
const FRESH_MS = 30_000;
/** Less than an API server's idle timeout (90 s). */
const IDLE_MS = 60_000;
const MAX_IDLE = 128;

interface Settled {
  readonly settings: HostSettings;
  readonly url: URL;
  /** Names and values alternate. */
  readonly headers: readonly string[];
  readonly agent: AnyAgent;
}

/** `read`: reads the current settings. The last ones stay in use if that fails. */
export function upstreamTo(read: () => Promise<HostSettings>): Upstream {
  let settled: Settled | undefined;
  let readAt = -Infinity;
  let reading: Promise<Settled> | undefined;

  function settle(settings: HostSettings): Settled {
    const same = isDeepStrictEqual(settled?.settings.tls, settings.tls) ? settled?.agent : undefined;
    const agent = settings.proxy ?? same ?? agentFor(settings.tls);
    // Requests in flight over other connections are not interrupted.
    if (same === undefined) release(settled?.agent);
    const url = new URL(settings.server);
    const credentials = Object.entries(settings.headers).flat();
    return (settled = {
      settings,
      url,
      agent,
      headers: ['Host', url.host, ...basic(settings.auth), ...credentials],
    });
  }
  function current(): Settled | Promise<Settled> {
    if (settled !== undefined && performance.now() - readAt < FRESH_MS) return settled;
    reading ??= read()
      .then(settle)
      .catch((error: unknown) => {
        if (settled !== undefined) return settled;
        throw error;
      })
      .finally(() => {
        reading = undefined;
        readAt = performance.now();
      });
    // A reload is not waited for.
    return settled ?? reading;
  }
  return {
    async open(sent) {
      const now = current();
      return send(now instanceof Promise ? await now : now, sent);
    },
    close: () => settled?.agent.destroy(),
  };
}

/**
 * Node derives the name of a connection from all TLS options, certificates included, several times for each
 * request.
 */
class OneTls extends Agent {
  override getName({ host, port }: RequestOptions = {}): string {
    return `${host ?? ''}:${port ?? ''}`;
  }
}

const agentFor = (tls: TlsSettings): Agent =>
  new OneTls({ ...tls, keepAlive: true, scheduling: 'lifo', maxFreeSockets: MAX_IDLE, timeout: IDLE_MS });

function release(agent: AnyAgent | undefined): void {
  if (agent === undefined) return;
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

function send(
  { settings, url, agent, headers: own }: Settled,
  { method, path, headers }: UpstreamRequest,
): ClientRequest {
  const made = request({
    ...destinationOf(url, path),
    method,
    agent,
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
