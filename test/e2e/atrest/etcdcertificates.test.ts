/** The certificates of the chart's etcd: members that start together agree on them, and renew them while they run. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { keepEtcdCertificates, writeEtcdCertificates } from '../../../cmd/chart/etcdcertificates.js';
import { connectHost } from '../../../pkg/hostclient/connect.js';
import type { HostClient } from '../../../pkg/hostclient/interface.js';
import { made } from '../../fixtures/host/apiservice.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

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
  /** The files that it wrote. */
  readonly done: Promise<Readonly<Record<'ca' | 'certificate' | 'key', string>>>;
}

const outOf = (pod: string): string => join(server.directory, name, pod);
const written = (pod: string, file: string): string => readFileSync(join(outOf(pod), file), 'utf8');

function start(pod: string): Started {
  const said: string[] = [];
  const wishes = { secret: `default/${name}`, out: outOf(pod), names: NAMES };
  const done = writeEtcdCertificates(host, wishes, (text) => said.push(text)).then(() => ({
    ca: written(pod, 'ca.crt'),
    certificate: written(pod, 'tls.crt'),
    key: written(pod, 'tls.key'),
  }));
  return { said, done };
}
const empty = (): Promise<unknown> => made(api, SECRETS, { metadata: { name } });
const hasSaid = ({ said }: Started): Promise<unknown> =>
  eventually('its word', () => Promise.resolve(said.length > 0));
const held = async (): Promise<Record<string, string>> => {
  const { text } = await api.send('GET', `${SECRETS}/${name}`);
  const { data = {} } = JSON.parse(text) as { data?: Record<string, string> };
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
};
async function change(data: Readonly<Record<string, string | null>>): Promise<void> {
  const merge = { 'content-type': 'application/merge-patch+json' };
  const { status } = await api.send('PATCH', `${SECRETS}/${name}`, { data }, merge);
  expect(status).toBe(200);
}

test('members that start together agree, and both sides are signed by the one authority', async () => {
  await empty();
  const [first, second] = await Promise.all([start('etcd-0').done, start('etcd-1').done]);
  expect(second).toEqual(first);
  const parts = await held();
  expect(parts['ca.crt']).toBe(first.ca);
  for (const certificate of [first.certificate, parts['client.crt'] as string])
    expect(new X509Certificate(certificate).verify(new X509Certificate(first.ca).publicKey)).toBe(true);
  expect(new X509Certificate(first.certificate).checkHost('etcd-0.etcd.management.svc')).toBeDefined();
});

test('one that is not there is made by nobody, and filled when it is', async () => {
  const member = start('etcd-0');
  await hasSaid(member);
  expect(member.said).toEqual([`waits for the Secret default/${name}: it is not there`]);
  expect((await api.send('GET', `${SECRETS}/${name}`)).status).toBe(404);
  await empty();
  expect((await member.done).ca).toBe((await held())['ca.crt']);
});

test('one that lost its authority is not filled with another', async () => {
  await empty();
  const before = await start('etcd-0').done;
  await change({ 'ca.crt': null });
  const member = start('etcd-1');
  await hasSaid(member);
  expect(member.said).toEqual([expect.stringContaining('it lacks ca.crt')]);
  await change({ 'ca.crt': Buffer.from(before.ca).toString('base64') });
  expect((await member.done).ca).toBe(before.ca);
});

test('a member that runs writes others when they are asked for, and says what it cannot do', async () => {
  await empty();
  const before = await start('etcd-0').done;
  const said: string[] = [];
  const stopping = new AbortController();
  const wishes = { secret: `default/${name}`, out: outOf('etcd-0'), names: NAMES, everySeconds: 0.1 };
  const kept = keepEtcdCertificates(host, wishes, (text) => said.push(text), stopping.signal);
  await change({ 'server.crt': null });
  await eventually('another', async () => written('etcd-0', 'tls.crt') !== before.certificate);
  const { certificate, key } = {
    certificate: written('etcd-0', 'tls.crt'),
    key: written('etcd-0', 'tls.key'),
  };
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(written('etcd-0', 'ca.crt')).toBe(before.ca);
  const parts = await held();
  await api.send('DELETE', `${SECRETS}/${name}`);
  await eventually('its word', async () => said.includes(`the Secret default/${name}: it is not there`));
  expect(written('etcd-0', 'tls.crt')).toBe(certificate);
  await empty();
  await eventually('what it held', async () => isDeepStrictEqual(await held(), parts));
  stopping.abort();
  await kept;
});
