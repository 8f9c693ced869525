// Metrics of the server and of the agent, read from their registries with one sample of each.
import { readFileSync, readdirSync } from 'node:fs';
import { agentMetrics } from '../../dist/pkg/agent/metrics.js';
import { createActivity } from '../../dist/pkg/server/activity.js';
import { createMetrics } from '../../dist/pkg/server/metrics/metrics.js';
import { durationSeries, observe } from '../../dist/pkg/server/metrics/series.js';
import { code, page, plain, table } from './markdown.mjs';

/** Where controllers lie. */
const FOLDERS = ['controllers', 'management'].map((name) => new URL(`../../pkg/${name}/`, import.meta.url));

/** What controllers count themselves is defined in their sources: name, help and type in this order. */
function controllerMetrics() {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => new URL(name, folder))
      .sort(),
  );
  return sources.flatMap((source) =>
    [
      ...readFileSync(source, 'utf8').matchAll(
        /name: '(\w+)',\s+help: '([^']+)',\s+type: '(gauge|counter)'/g,
      ),
    ].map(([, metric, help, type]) => ({ name: metric, help, type, series: () => [] })),
  );
}

function series(labels) {
  const one = durationSeries(labels);
  observe(one, 1);
  return one;
}

const REQUEST = {
  verb: 'GET',
  dryRun: '',
  group: 'g',
  version: 'v1',
  resource: 'r',
  subresource: '',
  scope: 'cluster',
  code: 200,
  seconds: 1,
  bytes: 1,
};

function serverRegistry() {
  const slot = { taken: 0, waiting: 0 };
  const review = { series: () => [series({ code: '200' })] };
  const definition = { group: 'g', version: 'v1', plural: 'r' };
  return createMetrics({
    watches: { size: 0, sent: () => [{ definition, events: 1, bytes: 1 }] },
    activity: createActivity(),
    slots: () => ({ reads: slot, writes: slot, watches: slot }),
    audit: { taken: () => 0, lost: () => 0, leftOut: () => ({ anonymous: 0 }) },
    controllers: {
      queues: () => [{ name: 'q', depth: 0, adds: 0, retries: 0, work: series({ name: 'q' }) }],
      metrics: controllerMetrics,
      leadership: () => ({ lease: 'l', leads: true }),
    },
    store: { up: () => true, refused: () => undefined },
    reviews: { authentication: review, authorization: review },
    certificate: () => undefined,
    lastBackup: () => undefined,
    keySecret: { lostAt: 0, uncopied: false },
    etcdSpace: () => ({ sizeBytes: 0, inUseBytes: 0, quotaBytes: 0, full: false }),
    spans: () => ({ exported: 0, queueFull: 0, exportFailed: 0 }),
  });
}

/** Names of labels by metric, from the text that Prometheus reads. */
function labelsIn(text) {
  const found = new Map();
  for (const [, name, labels] of text.matchAll(/^(\w+?)(?:_bucket|_sum|_count)?\{([^}]*)\}/gm)) {
    const names = [...labels.matchAll(/(\w+)="/g)]
      .map(([, label]) => label)
      .filter((label) => label !== 'le');
    found.set(name, new Set([...(found.get(name) ?? []), ...names]));
  }
  return found;
}

function rows(text) {
  const labels = labelsIn(text);
  const helps = [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)];
  return helps
    .map(([, name, help, type]) => [
      code(name),
      type,
      [...(labels.get(name) ?? [])].map(code).join(', '),
      plain(help),
    ])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

const COLUMNS = ['metric', 'type', 'labels', 'meaning'];
/** Those that prom-client measures of any Node process, which depend on the machine, are not listed. */
const ofNode = ([name]) => /^`(process|nodejs)_/.test(name);

export async function metrics() {
  const server = serverRegistry();
  server.recordRequest(REQUEST);
  const agent = agentMetrics({
    revocationsAge: () => 0,
    keys: () => 0,
    tunnels: () => 0,
    inFlight: () => 0,
    clockAhead: () => 0,
  });
  agent.observe({ method: 'GET', destination: 'cluster', code: 200, seconds: 1 });
  const ownRows = rows((await server.read()).text).filter((row) => !ofNode(row));
  return page(
    'Metrics',
    `In the text format of Prometheus. The server also has the metrics \`process_*\` and \`nodejs_*\` of
[prom-client](https://github.com/siimon/prom-client). [Monitoring](../monitoring.md) has the dashboard and the alerts.`,
    '## Server',
    'At `/metrics`, for users who may `get` that path. A server without a part (controllers, etcd, reviews by the host, traces) does not have its metrics.',
    table(COLUMNS, ownRows),
    '## Agent',
    'At `/metrics` of `--metrics-bind-address`, over HTTP.',
    table(COLUMNS, rows((await agent.read()).text)),
  );
}
