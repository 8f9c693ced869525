/**
 * Measures what this project's server and sample-apiserver cost behind the same kube-apiserver, through its aggregator;
 * see docs/contributing/measurements.md.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { prepareGround, startBehind } from '../../../test/fixtures/host/aggregatedhost.js';
import { made } from '../../../test/fixtures/host/apiservice.js';
import { NEWEST_HOST, startHost, type HostCluster } from '../../../test/fixtures/host/hostcluster.js';
import { bound, grant, rule, type Right } from '../../../test/fixtures/host/hostidentity.js';
import { VIEWER_TOKEN } from '../../../test/fixtures/servers/server.js';
import { createClient, type Client } from '../client.js';
import { measure } from '../measure.js';
import type { Measured } from '../rows/row.js';
import { aggregatedReport } from './report.js';
import {
  AGGREGATED_ROWS,
  CREATED_NAMESPACE,
  LISTED_NAMESPACE,
  prepare,
  WATCHED_NAMESPACE,
  type AggregatedRow,
  type Course,
} from './rows.js';
import { SUBJECTS, type Subject } from './subject.js';

interface Options {
  readonly quick: boolean;
  readonly rounds: number;
  readonly only: RegExp;
  readonly out: string | undefined;
}

/** A server that runs behind the host. */
interface Standing {
  readonly subject: Subject;
  readonly pid: number;
  stop(): Promise<void>;
}

const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      out: { type: 'string' },
    },
  });
  const { quick, rounds, only, out } = values;
  return { quick, rounds: Number(rounds), only: new RegExp(only, 'i'), out };
}

/** Requests are those of a user with rights, which the servers ask the host about; `system:masters` are not asked about. */
const RIGHTS: readonly Right[] = [
  {
    kind: 'ClusterRole',
    metadata: { name: 'bench' },
    rules: SUBJECTS.map(({ backend }) => rule(backend.group, ['*'], ['*'])),
  } as Right,
  bound({ name: 'bench' }, 'ClusterRole', 'bench', {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'User',
    name: 'viewer',
  }),
];

async function main(options: Options): Promise<void> {
  const rows = AGGREGATED_ROWS.filter(({ name }) => options.only.test(name));
  const host = await startHost(NEWEST_HOST);
  const standing: Standing[] = [];
  try {
    for (const name of [LISTED_NAMESPACE, CREATED_NAMESPACE, WATCHED_NAMESPACE])
      await made(host.api, '/api/v1/namespaces', { metadata: { name } });
    await grant(host, RIGHTS);
    const endpoint = { port: Number(new URL(host.url).port), token: VIEWER_TOKEN };
    for (const subject of SUBJECTS) standing.push(await stand(host, subject, createClient(endpoint, 8)));
    const results = new Map<string, Map<string, Measured[]>>();
    for (const row of rows) results.set(row.name, await runRow(row, standing, endpoint, options));
    const text = aggregatedReport(results);
    process.stdout.write(text);
    if (options.out !== undefined) writeFileSync(options.out, text);
  } finally {
    for (const { stop } of standing) await stop();
    await host.stop();
  }
}

async function stand(host: HostCluster, subject: Subject, client: Client): Promise<Standing> {
  say(`starting ${subject.title}`);
  const behind = await startBehind(host, subject.backend, await prepareGround(subject.backend));
  await prepare(subject, client);
  client.close();
  return { subject, pid: behind.server.pid(), stop: () => behind.stop() };
}

/** The servers take turns, so that what the machine does in the meantime meets them alike. */
async function runRow(
  row: AggregatedRow,
  standing: readonly Standing[],
  endpoint: { readonly port: number; readonly token: string },
  { rounds, quick }: Options,
): Promise<Map<string, Measured[]>> {
  const measured = new Map<string, Measured[]>(SUBJECTS.map(({ title }) => [title, []]));
  for (let round = 0; round < rounds; round++)
    for (const { subject, pid } of standing) {
      say(`${subject.title}: ${row.name}, round ${round + 1}`);
      const course: Course = {
        subject,
        round,
        quick,
        client: (connections) => createClient(endpoint, connections),
        measure: (load) => measure({ pid, eventLoop: false }, createClient(endpoint, 1), load),
      };
      measured.get(subject.title)?.push(await row.run(course));
    }
  return measured;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main(readOptions()).catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
