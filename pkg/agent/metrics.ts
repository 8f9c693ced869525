/**
 * The agent's metrics for Prometheus. Labels have few values, and never those of a user, a path or a token.
 */
import type { Registry } from 'prom-client';
import {
  countSeries,
  exposeCounts,
  exposeGauges,
  exposeHistograms,
  histogramSeries,
  observe,
  type CountSeries,
  type HistogramSeries,
} from '../server/metrics/series.js';
import type { Observed } from './handle.js';
import { METHODS } from './scopedrequest.js';

export interface MetricSources {
  /** Seconds; Infinity: never. */
  readonly revocationsAge: () => number;
  readonly keys: () => number;
  /** Open tunnels to servers of the management API. */
  readonly tunnels: () => number;
  readonly inFlight: (lasting: boolean) => number;
  /** Seconds that this machine's clock is ahead of that of the management API. */
  readonly clockAhead: () => number;
}

export interface AgentMetrics {
  observe(observed: Observed): void;
  /** In the text format of Prometheus. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function agentMetrics(sources: MetricSources): AgentMetrics {
  const requests = new Map<string, CountSeries>();
  const seconds = new Map<string, HistogramSeries>();
  let registry: Promise<Registry> | undefined;
  return {
    observe({ method, destination, code: status, seconds: took }) {
      const known = METHODS.includes(method) ? method : 'other';
      const code = String(status);
      const key = `${known} ${destination} ${code}`;
      const count = requests.get(key) ?? countSeries({ method: known, destination, code });
      requests.set(key, count);
      count.value += 1;
      const times = seconds.get(destination) ?? histogramSeries({ destination }, SECONDS);
      seconds.set(destination, times);
      observe(times, took);
    },
    async read() {
      registry ??= registryOf(sources, requests, seconds);
      const all = await registry;
      return { contentType: all.contentType, text: await all.metrics() };
    },
  };
}

/** The package is loaded for the first read. */
async function registryOf(
  { revocationsAge, keys, tunnels, inFlight, clockAhead }: MetricSources,
  requests: ReadonlyMap<string, CountSeries>,
  seconds: ReadonlyMap<string, HistogramSeries>,
): Promise<Registry> {
  const { Registry: Empty } = await import('prom-client');
  const registry = new Empty();
  const gauge = (name: string, help: string, value: () => number): void =>
    exposeGauges(registry, name, help, () => [{ labels: {}, value: value() }]);
  exposeCounts(registry, 'management_agent_requests_total', 'Requests, by the status of their answer.', () =>
    requests.values(),
  );
  exposeHistograms(
    registry,
    'management_agent_request_begin_seconds',
    'From a request to the begin of its answer.',
    () => seconds.values(),
  );
  gauge(
    'management_agent_revocations_age_seconds',
    'Since what revokes tokens was known to be current.',
    revocationsAge,
  );
  gauge('management_agent_signing_keys', 'Published keys that tokens may be verified with.', keys);
  gauge(
    'management_agent_clock_ahead_seconds',
    'What the clock of this machine is ahead of that of the management API; negative: behind.',
    clockAhead,
  );
  gauge('management_agent_tunnels', 'Tunnels to servers of the management API.', tunnels);
  gauge('management_agent_requests_in_flight', 'Requests under way that do not last.', () => inFlight(false));
  gauge('management_agent_lasting_requests_in_flight', 'Watches, exec and the like under way.', () =>
    inFlight(true),
  );
  return registry;
}
