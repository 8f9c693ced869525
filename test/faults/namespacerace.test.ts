/**
 * Namespaces are deleted while many clients create objects in them: when a namespace is gone, all objects in it are
 * gone, too.
 */
import { Agent } from 'node:https';
import { expect, test } from '@jest/globals';
import { etcdIsThere, startEtcd } from '../fixtures/stores/etcd.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const NAMESPACES = '/api/v1/namespaces';
const ROUNDS = 20;
const WRITERS = 16;
const REFUSED = [403, 404];

type Send = (method: string, path: string, body?: object, type?: string) => Promise<Answer>;

const WRITES: readonly ((send: Send, path: string, name: string) => Promise<Answer>)[] = [
  (send, path, name) => send('POST', path, { metadata: { name } }),
  (send, path, name) => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    return send('PATCH', `${path}/${name}?fieldManager=f`, config, 'application/apply-patch+yaml');
  },
];

/** Creates objects until the namespace refuses them. Returns the number of created objects. */
async function fill(send: Send, namespace: string, writer: number): Promise<number> {
  const write = WRITES[writer % WRITES.length] as (typeof WRITES)[number];
  for (let count = 0; ; count += 1) {
    const { status, text } = await write(
      send,
      `${NAMESPACES}/${namespace}/configmaps`,
      `c-${writer}-${count}`,
    );
    if (REFUSED.includes(status)) return count;
    if (status !== 201) throw new Error(text);
  }
}

async function round(send: Send, namespace: string): Promise<void> {
  const path = `${NAMESPACES}/${namespace}`;
  expect((await send('POST', NAMESPACES, { metadata: { name: namespace } })).status).toBe(201);
  const writers = Array.from({ length: WRITERS }, (_, writer) => fill(send, namespace, writer));
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
  expect((await send('DELETE', path)).status).toBe(200);
  await Promise.all(writers);
  await eventually(`the end of ${namespace}`, async () => (await send('GET', path)).status === 404);
  const { text } = await send('GET', `${path}/configmaps`);
  expect((JSON.parse(text) as { items: unknown[] }).items).toEqual([]);
}

/** Runs the rounds; clients use the servers in turn. */
async function expectNothingLeft(servers: readonly ServerFixture[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS + 1 });
  let asked = 0;
  const send: Send = (method, path, body, type = 'application/json') => {
    const { url } = servers[asked++ % servers.length] as ServerFixture;
    const sent = body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': type } };
    return fetchFrom(url + path, { method, agent, ...sent });
  };
  try {
    for (let at = 0; at < ROUNDS; at += 1) await round(send, `n-${at}`);
  } finally {
    agent.destroy();
    await Promise.all(servers.map((server) => server.remove()));
  }
}

const controllers = 'namespace-controller';

test('leaves no object in a deleted namespace', async () => {
  await expectNothingLeft([await startServer({ controllers })]);
});

(etcdIsThere() ? test : test.skip)('nothing stays behind where several servers share an etcd', async () => {
  const etcd = await startEtcd();
  const options = { controllers, etcdServers: etcd.endpoint };
  await expectNothingLeft(await Promise.all([startServer(options), startServer(options)])).finally(() =>
    etcd.stop(),
  );
});
