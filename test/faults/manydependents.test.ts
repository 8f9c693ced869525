/**
 * One owner with very many dependents: their deletion costs the server little memory, and other requests are served
 * meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { MAX_COMMIT_WRITES, type Write } from '../../pkg/storage/interface.js';
import { startEmbedded, type EngineServer } from '../fixtures/servers/engines.js';
import { fetchFrom, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const DEPENDENTS = 25_000;
const RECORDS = 'registry/core/configmaps/default/';
/** The maximum growth of the server's memory while it deletes them: the history for watches, and garbage. */
const GROWTH_MIB = 250;

const residentMib = (server: ServerFixture): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8'))?.[1]) / 1024;

/**
 * Creates an owner of all objects but one. One of its dependents is created by a request; the others are written to the
 * store in the same form while the server is stopped, as so many requests would take minutes.
 */
async function createFamily({ server, openStore }: EngineServer): Promise<void> {
  const create = async (metadata: object): Promise<string> => {
    const body = JSON.stringify({ metadata });
    const headers = { 'content-type': 'application/json' };
    const { status, text } = await fetchFrom(server.url + CONFIGMAPS, { method: 'POST', body, headers });
    if (status !== 201) throw new Error(text);
    return (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid;
  };
  const owner = await create({ name: 'owner' });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner }];
  const uid = await create({ name: 'd-0', ownerReferences });
  await create({ name: 'stranger' });
  await server.stop();
  const store = await openStore();
  const value = (await store.get(`${RECORDS}d-0`)).record?.value.toString() ?? '';
  const likeIt = (at: number): Write => ({
    key: `${RECORDS}d-${at}`,
    value: Buffer.from(value.replaceAll('"d-0"', `"d-${at}"`).replaceAll(uid, randomUUID())),
    expect: 'absent',
  });
  for (let from = 1; from < DEPENDENTS; from += MAX_COMMIT_WRITES) {
    const length = Math.min(MAX_COMMIT_WRITES, DEPENDENTS - from);
    await store.commit(Array.from({ length }, (_none, at) => likeIt(from + at)));
  }
  await store.close();
  await server.restart();
  const { metadata } = JSON.parse((await fetchFrom(`${server.url}${CONFIGMAPS}?limit=1`)).text) as {
    metadata: { remainingItemCount: number };
  };
  expect(metadata.remainingItemCount).toBe(DEPENDENTS + 1);
}

/** The longest time since the last call for which the event loop was blocked, in ms. */
async function longestBlock({ url }: ServerFixture): Promise<number> {
  const { text } = await fetchFrom(`${url}/metrics`);
  return Math.round(Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000);
}

async function expectCascade(engine: EngineServer): Promise<void> {
  await createFamily(engine);
  const { server } = engine;
  await longestBlock(server);
  const before = residentMib(server);
  let most = before;
  const begun = Date.now();
  expect((await fetchFrom(`${server.url}${CONFIGMAPS}/owner`, { method: 'DELETE' })).status).toBe(200);
  await eventually('the end of all dependents', async () => {
    most = Math.max(most, residentMib(server));
    const { status, text } = await fetchFrom(`${server.url}${CONFIGMAPS}?limit=1`);
    expect(status).toBe(200);
    return !text.includes('"name":"d-');
  });
  const [took, grown, block] = [Date.now() - begun, Math.round(most - before), await longestBlock(server)];
  console.log(`${DEPENDENTS} dependents: ${took} ms, ${grown} MiB more, longest block ${block} ms`);
  expect(most - before).toBeLessThan(GROWTH_MIB);
  const { text } = await fetchFrom(server.url + CONFIGMAPS);
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['stranger']);
}

test('25,000 dependents of one owner go with it', async () => {
  const engine = await startEmbedded({ controllers: 'garbage-collector-controller' });
  try {
    await expectCascade(engine);
  } finally {
    await engine.remove();
  }
});
