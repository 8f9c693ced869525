/** The certificates of the chart's etcd: members make them once, servers wait for them, and nobody makes others. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { keepEtcdCertificates } from '../../cmd/chart/etcdcertificates.js';
import { connectHost } from '../../pkg/hostclient/connect.js';
import type { HostClient } from '../../pkg/hostclient/interface.js';
import { made } from '../fixtures/apiservice.js';
import { client, type Client } from '../fixtures/client.js';
import { startServer, type ServerFixture } from '../fixtures/server.js';
import { eventually } from '../fixtures/wait.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const NAMES = ['*.etcd.management.svc'];

let server: ServerFixture;
let api: Client;
let host: HostClient;
let name = '';
let count = 0;

beforeAll(async () => {
  server = await startServer();
  api = client(server);
  host = await connectHost({ kubeconfig: server.kubeconfig });
});
afterAll(async () => {
  host?.close();
  await server?.remove();
});
beforeEach(() => {
  name = `etcd-tls-${(count += 1)}`;
});

interface Started {
  readonly said: string[];
  /** The parts that it wrote. */
  readonly done: Promise<Readonly<Record<'ca' | 'certificate' | 'key', string>>>;
}

function start(side: string, pod: string = side): Started {
  const said: string[] = [];
  const out = join(server.directory, name, pod);
  const wishes = { secret: `default/${name}`, side, out, names: NAMES };
  const read = (file: string): string => readFileSync(join(out, file), 'utf8');
  const done = keepEtcdCertificates(host, wishes, (text) => said.push(text)).then(() => ({
    ca: read('ca.crt'),
    certificate: read('tls.crt'),
    key: read('tls.key'),
  }));
  return { said, done };
}
const empty = (): Promise<unknown> => made(api, SECRETS, { metadata: { name } });
const hasSaid = ({ said }: Started): Promise<unknown> =>
  eventually('its word', () => Promise.resolve(said.length > 0));

test('members that start together agree, and both sides are signed by the one authority', async () => {
  await empty();
  const [first, second, servers] = await Promise.all([
    start('server', 'etcd-0').done,
    start('server', 'etcd-1').done,
    start('client').done,
  ]);
  expect(second).toEqual(first);
  expect(servers.ca).toBe(first.ca);
  for (const { certificate } of [first, servers])
    expect(new X509Certificate(certificate).verify(new X509Certificate(first.ca).publicKey)).toBe(true);
  expect(new X509Certificate(first.certificate).checkHost('etcd-0.etcd.management.svc')).toBeDefined();
});

test('a server that starts before etcd says what it waits for, and goes on when a member has started', async () => {
  await empty();
  const waiting = start('client');
  await hasSaid(waiting);
  expect(waiting.said).toEqual([`waits for the Secret default/${name}: no member of etcd has filled it`]);
  const member = await start('server').done;
  expect((await waiting.done).ca).toBe(member.ca);
});

test('one that is not there is made by nobody, and filled when it is', async () => {
  const sides = [start('client'), start('server')];
  await Promise.all(sides.map(hasSaid));
  for (const { said } of sides) expect(said).toEqual([expect.stringContaining('it is not there')]);
  expect((await api.send('GET', `${SECRETS}/${name}`)).status).toBe(404);
  await empty();
  const [servers, member] = await Promise.all(sides.map(({ done }) => done));
  expect(servers?.ca).toBe(member?.ca);
});

test('one that lost a part is not filled with another authority', async () => {
  await empty();
  const member = await start('server').done;
  const path = `${SECRETS}/${name}`;
  const { data } = JSON.parse((await api.send('GET', path)).text) as { data: Record<string, string> };
  const merge = { 'content-type': 'application/merge-patch+json' };
  const change = async (key: string | null): Promise<void> => {
    const { status } = await api.send('PATCH', path, { data: { 'client.key': key } }, merge);
    expect(status).toBe(200);
  };
  await change(null);
  const sides = [start('server', 'etcd-1'), start('client')];
  await Promise.all(sides.map(hasSaid));
  for (const { said } of sides) expect(said).toEqual([expect.stringContaining('it lacks client.key')]);
  await change(data['client.key'] as string);
  for (const { ca } of await Promise.all(sides.map(({ done }) => done))) expect(ca).toBe(member.ca);
});

test.each([
  ['a side that there is not', 'both', NAMES, /it must be server or client/],
  ['a member without names', 'server', [], /takes --names/],
])('refuses %s', async (_what, side, names, message) => {
  const wishes = { secret: `default/${name}`, side, out: server.directory, names };
  await expect(keepEtcdCertificates(host, wishes, () => undefined)).rejects.toThrow(message);
});
