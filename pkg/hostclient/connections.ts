/** Pooled connections to an API server, with credentials that are reloaded. */
import type { Agent as AnyAgent } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import type { HostSettings } from './configuration.js';

/** How long settings are cached: a replaced token stays valid for longer. */
const FRESH_MS = 30_000;
/** After a longer time without requests, a token may have ended: a kubelet replaces it 12 minutes before that. */
const IDLE_MS = 5 * 60_000;
/** The least time between a read and the next one that a refusal causes. */
const REFUSED_MS = 1_000;

type Agents = Readonly<Record<string, AnyAgent>>;

/** Settings with the agents for them. */
export interface Settled<A extends Agents> {
  readonly settings: HostSettings;
  readonly agents: A;
}

export class HostConnections<A extends Agents> {
  private settled: Settled<A> | undefined;
  private reading: Promise<Settled<A>> | undefined;
  private readAt = -Infinity;

  /** `agentsOf`: called again when other certificates or another proxy are read. `now`: a monotonic clock in ms. */
  constructor(
    private readonly read: () => Promise<HostSettings>,
    private readonly agentsOf: (settings: HostSettings) => A,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The last settings stay in use while others cannot be read. Rejects with HostConfigurationError. */
  current(): Settled<A> | Promise<Settled<A>> {
    const age = this.now() - this.readAt;
    if (this.settled !== undefined && age < FRESH_MS) return this.settled;
    this.reading ??= this.read()
      .then((settings) => this.settle(settings))
      .catch((error: unknown) => {
        if (this.settled !== undefined) return this.settled;
        throw error;
      })
      .finally(() => {
        this.reading = undefined;
        this.readAt = this.now();
      });
    // A reload may take long where the host is away, and is not waited for without need.
    return this.settled !== undefined && age < IDLE_MS ? this.settled : this.reading;
  }

  /** Reloads the settings at the next request: the host refused the credentials, which may have been replaced. */
  refused(): void {
    if (this.now() - this.readAt > REFUSED_MS) this.readAt = -Infinity;
  }

  close(): void {
    for (const agent of Object.values(this.settled?.agents ?? {})) agent.destroy();
  }

  private settle(settings: HostSettings): Settled<A> {
    const { settings: before, agents } = this.settled ?? {};
    const isSame = before?.proxy === settings.proxy && isDeepStrictEqual(before?.tls, settings.tls);
    if (!isSame) release(Object.values(agents ?? {}));
    return (this.settled = { settings, agents: (isSame && agents) || this.agentsOf(settings) });
  }
}

/** Closes idle connections; requests in flight are not interrupted. */
function release(agents: readonly AnyAgent[]): void {
  for (const agent of agents) {
    agent.maxFreeSockets = 0;
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }
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

/** The proxy of the settings, or an agent whose connections all have their certificates. */
export const agentFor = ({ tls, proxy }: HostSettings, options: AgentOptions): AnyAgent =>
  proxy ?? new OneTls({ ...tls, keepAlive: true, scheduling: 'lifo', ...options });

/** Watches have connections of their own. */
export type Pools = Readonly<Record<'requests' | 'watches', AnyAgent>>;

/** Further requests wait for one that ends. */
const MAX_SOCKETS = 64;

export const poolsFor = (settings: HostSettings): Pools => ({
  requests: agentFor(settings, { maxSockets: MAX_SOCKETS }),
  watches: agentFor(settings, { maxFreeSockets: 4 }),
});
