/** One owner of very many: its end costs the server little memory, and others are served meanwhile. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { expect, test } from '@jest/globals';
import { etcdIsThere, startEtcd } from '../fixtures/etcd.js';
import { fetchFrom, startServer } from '../fixtures/server.js';
import type { ServerFixture } from '../fixtures/server.js';
import { eventually } from '../fixtures/wait.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const DEPENDENTS = 50_000;
const PARALLEL = 32;
/** What the server may grow by while it deletes them: history that watches need, and garbage. */
const GROWTH_MIB = 400;

const residentMib = (server: ServerFixture): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8'))?.[1]) / 1024;

/** An owner of all but one. */
async function createFamily({ url }: ServerFixture): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  const headers = { 'content-type': 'application/json' };
  const create = async (metadata: object): Promise<string> => {
    const body = JSON.stringify({ metadata });
    const { status, text } = await fetchFrom(url + CONFIGMAPS, { method: 'POST', body, headers, agent });
    if (status !== 201) throw new Error(text);
    return (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid;
  };
  const uid = await create({ name: 'owner' });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  const names = Array(DEPENDENTS).keys();
  const worker = async (): Promise<void> => {
    for (const at of names) await create({ name: `d-${at}`, ownerReferences });
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  await create({ name: 'stranger' });
  agent.destroy();
}

/** The longest time since the last call for which the server did nothing else, in milliseconds. */
async function longestBlock({ url }: ServerFixture): Promise<number> {
  const { text } = await fetchFrom(`${url}/metrics`);
  return Math.round(Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000);
}

async function expectCascade(server: ServerFixture): Promise<void> {
  await createFamily(server);
  await longestBlock(server);
  const before = residentMib(server);
  let most = before;
  const begun = Date.now();
  expect((await fetchFrom(`${server.url}${CONFIGMAPS}/owner`, { method: 'DELETE' })).status).toBe(200);
  await eventually(
    'the end of all dependents',
    async () => {
      most = Math.max(most, residentMib(server));
      const { status, text } = await fetchFrom(`${server.url}${CONFIGMAPS}?limit=1`);
      expect(status).toBe(200);
      return !text.includes('"name":"d-');
    },
    240_000,
  );
  const [took, grown, block] = [Date.now() - begun, Math.round(most - before), await longestBlock(server)];
  console.log(`${DEPENDENTS} dependents: ${took} ms, ${grown} MiB more, longest block ${block} ms`);
  expect(most - before).toBeLessThan(GROWTH_MIB);
  const { text } = await fetchFrom(server.url + CONFIGMAPS);
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['stranger']);
}

const controllers = 'garbage-collector-controller';

test('fifty thousand dependents of one owner go with it', async () => {
  const server = await startServer({ controllers });
  try {
    await expectCascade(server);
  } finally {
    await server.remove();
  }
}, 480_000);

(etcdIsThere() ? test : test.skip)(
  'so they do on etcd',
  async () => {
    const etcd = await startEtcd();
    const server = await startServer({ controllers, etcdServers: etcd.endpoint });
    try {
      await expectCascade(server);
    } finally {
      await server.remove();
      await etcd.stop();
    }
  },
  480_000,
);
