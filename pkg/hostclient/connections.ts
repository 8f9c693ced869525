/** Connections to the host that are kept, with credentials that are read again as time passes. */
import type { Agent as AnyAgent } from 'node:http';
import { Agent } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import type { HostSettings, TlsSettings } from './configuration.js';

/** How long settings count as current: a token file that is replaced is still good for a while. */
const FRESH_MS = 30_000;
/** After a refusal they are read again, but not more often than this. */
const REFUSED_MS = 1_000;
/** Requests beyond so many wait for one that ends. Watches have connections of their own. */
const MOST_SOCKETS = 64;

export interface Connections {
  /** Rejects with HostConfigurationError. */
  settings(this: void): Promise<HostSettings>;
  /** The credentials were refused: they may have been replaced. */
  refused(this: void): void;
  agent(this: void, settings: HostSettings, purpose: 'requests' | 'watches'): AnyAgent;
  close(this: void): void;
}

export function keepConnections(read: () => Promise<HostSettings>): Connections {
  let current: Promise<HostSettings> | undefined;
  let readAt = -Infinity;
  let secured: TlsSettings | undefined;
  let agents: { readonly requests: Agent; readonly watches: Agent } | undefined;

  /** What is under way ends as it began. */
  const release = (): void => {
    for (const agent of agents === undefined ? [] : [agents.requests, agents.watches]) {
      agent.maxFreeSockets = 0;
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
  };

  return {
    settings() {
      if (current !== undefined && performance.now() - readAt < FRESH_MS) return current;
      readAt = performance.now();
      const before = current;
      // Settings that cannot be read now are as they were.
      const reading = before === undefined ? read() : read().catch(() => before);
      current = reading;
      reading.catch(() => {
        if (current === reading) current = undefined;
      });
      return reading;
    },
    refused() {
      if (performance.now() - readAt > REFUSED_MS) readAt = -Infinity;
    },
    agent({ tls, proxy }, purpose) {
      if (proxy !== undefined) return proxy;
      const same = secured === tls || isDeepStrictEqual(secured, tls);
      secured = tls;
      if (agents === undefined || !same) {
        release();
        const kept = { ...tls, keepAlive: true, scheduling: 'lifo' as const };
        agents = {
          requests: new Agent({ ...kept, maxSockets: MOST_SOCKETS }),
          watches: new Agent({ ...kept, maxFreeSockets: 4 }),
        };
      }
      return agents[purpose];
    },
    close() {
      agents?.requests.destroy();
      agents?.watches.destroy();
    },
  };
}
