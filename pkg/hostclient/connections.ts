/** Pooled connections to the host, with credentials that are reloaded. */
import type { Agent as AnyAgent } from 'node:http';
import { Agent } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import type { HostSettings, TlsSettings } from './configuration.js';

/** How long settings are cached: a replaced token stays valid for longer. */
const FRESH_MS = 30_000;
/** The least time between a read and the next one that a refusal causes. */
const REFUSED_MS = 1_000;
/** Further requests wait for one that ends. Watches have connections of their own. */
const MAX_SOCKETS = 64;

interface Agents {
  readonly requests: Agent;
  readonly watches: Agent;
}

export class HostConnections {
  private readonly read: () => Promise<HostSettings>;
  private current: Promise<HostSettings> | undefined;
  private readAt = -Infinity;
  /** The settings that `agents` were made with. */
  private tls: TlsSettings | undefined;
  private agents: Agents | undefined;

  constructor(read: () => Promise<HostSettings>) {
    this.read = read;
  }

  /** Rejects with HostConfigurationError. */
  settings(): Promise<HostSettings> {
    if (this.current !== undefined && performance.now() - this.readAt < FRESH_MS) return this.current;
    this.readAt = performance.now();
    const before = this.current;
    // The last settings stay in use while new ones cannot be read.
    const reading = before === undefined ? this.read() : this.read().catch(() => before);
    this.current = reading;
    reading.catch(() => {
      if (this.current === reading) this.current = undefined;
    });
    return reading;
  }

  /** Reloads the settings at the next request: the host refused the credentials, which may have been replaced. */
  refused(): void {
    if (performance.now() - this.readAt > REFUSED_MS) this.readAt = -Infinity;
  }

  agent({ tls, proxy }: HostSettings, purpose: 'requests' | 'watches'): AnyAgent {
    if (proxy !== undefined) return proxy;
    const same = this.tls === tls || isDeepStrictEqual(this.tls, tls);
    this.tls = tls;
    if (this.agents === undefined || !same) {
      this.release();
      this.agents = agentsOf(tls);
    }
    return this.agents[purpose];
  }

  close(): void {
    this.agents?.requests.destroy();
    this.agents?.watches.destroy();
  }

  /** Closes idle connections; requests in flight are not interrupted. */
  private release(): void {
    for (const agent of this.agents === undefined ? [] : [this.agents.requests, this.agents.watches]) {
      agent.maxFreeSockets = 0;
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
  }
}

function agentsOf(tls: TlsSettings): Agents {
  const options = { ...tls, keepAlive: true, scheduling: 'lifo' as const };
  return {
    requests: new Agent({ ...options, maxSockets: MAX_SOCKETS }),
    watches: new Agent({ ...options, maxFreeSockets: 4 }),
  };
}
