/** What the agent counts, for Prometheus. Labels have few values: none is a user's, a path's or a token's. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Observed } from './handle.js';
import { METHODS } from './scopedrequest.js';

export interface MetricSources {
  /** Seconds; Infinity: never. */
  readonly revocationsAge: () => number;
  readonly keys: () => number;
  /** Open to servers of the management API. */
  readonly tunnels: () => number;
  readonly inFlight: (lasting: boolean) => number;
}

export interface AgentMetrics {
  observe(observed: Observed): void;
  /** In the text format of Prometheus. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function agentMetrics({ revocationsAge, keys, tunnels, inFlight }: MetricSources): AgentMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    ...{
      name: 'management_agent_requests_total',
      help: 'Requests, by the status of their answer.',
      registers,
    },
    labelNames: ['method', 'destination', 'code'],
  });
  const seconds = new Histogram({
    name: 'management_agent_request_begin_seconds',
    help: 'From a request to the begin of its answer.',
    ...{ labelNames: ['destination'], buckets: SECONDS, registers },
  });
  gauge(
    'management_agent_revocations_age_seconds',
    'Since what revokes tokens was known to be current.',
    revocationsAge,
  );
  gauge('management_agent_signing_keys', 'Published keys that tokens may be verified with.', keys);
  gauge('management_agent_tunnels', 'Tunnels to servers of the management API.', tunnels);
  gauge('management_agent_requests_in_flight', 'Requests under way that do not last.', () => inFlight(false));
  gauge('management_agent_lasting_requests_in_flight', 'Watches, exec and the like under way.', () =>
    inFlight(true),
  );

  function gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(value());
      },
    });
  }
  return {
    observe({ method, destination, code, seconds: took }) {
      const known = METHODS.includes(method) ? method : 'other';
      requests.labels(known, destination, String(code)).inc();
      seconds.labels(destination).observe(took);
    },
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
