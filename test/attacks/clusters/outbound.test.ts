/**
 * Addresses to which users try to make the server connect: it never opens a connection to an address that cannot be a
 * cluster.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const CLUSTERS = '/apis/management.svc.example/v1/clusters';
const SECRETS = '/api/v1/namespaces/management-system/secrets';

interface Status {
  readonly reason?: string;
  readonly message?: string;
}

/** Addresses of this machine other than loopback, as in a URL. */
const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));

const HOSTS = [
  '127.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '127.9.9.9',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',

  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '169.254.169.254',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
  ...own,
];

let engine: EngineServer;
let cluster: ServerFixture;
let admin: Client;
let listener: Server;
let connections = 0;
let made = 0;

const kubeconfigOf = (host: string): string =>
  readFileSync(cluster.kubeconfig, 'utf8').replace(/server: .*/, `server: "https://${host}"`);

async function statusOf(text: string): Promise<Status> {
  const name = `c-${(made += 1)}`;
  const data = { config: Buffer.from(text).toString('base64') };
  const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name }, data };
  expect((await admin.send('POST', SECRETS, secret)).status).toBe(201);
  const spec = { config: { secretName: name } };
  expect((await admin.send('POST', CLUSTERS, { metadata: { name }, spec })).status).toBe(201);
  const told = await eventually(`${name} is probed`, async () => {
    const { status } = JSON.parse((await admin.send('GET', `${CLUSTERS}/${name}`)).text) as {
      status?: Status;
    };
    return status?.reason !== undefined && status;
  });
  return { reason: told.reason ?? '', message: told.message?.replaceAll(name, 'NAME') ?? '' };
}

beforeAll(async () => {
  [engine, cluster] = await Promise.all([
    // One loopback address is permitted, and no other.
    startEmbedded({ controllers: 'cluster-controller', clusterNetworks: '127.0.0.2/32' }),
    startServer({ controllers: '-cluster-controller', flags: ['--bind-address=0.0.0.0'] }),
  ]);
  admin = client(engine.server);
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '::');
  await once(listener, 'listening');
});

afterAll(async () => {
  listener.close();
  await Promise.all([engine.remove(), cluster.remove()]);
});

test('refuses every form of an address that cannot be a cluster, without a connection', async () => {
  const { port } = listener.address() as AddressInfo;
  const before = connections;
  const all = await Promise.all(HOSTS.map((host) => statusOf(kubeconfigOf(`${host}:${port}`))));
  const told = Object.fromEntries(HOSTS.map((host, at) => [host, all[at]?.reason]));
  expect(told).toEqual(Object.fromEntries(HOSTS.map((host) => [host, 'KubeconfigRefused'])));
  expect(connections - before).toBe(0);
});

test('reveals neither whether a port is open nor whether a name exists', async () => {
  const { port } = listener.address() as AddressInfo;
  const hosts = [`127.0.0.1:${port}`, '127.0.0.1:1', `localhost:${port}`, 'localhost:1', 'nowhere.invalid'];
  const all = await Promise.all(hosts.map((host) => statusOf(kubeconfigOf(host))));
  expect(new Set(all.map(({ message }) => message)).size).toBe(1);
  expect(all[0]?.message).toContain('no address that this server may connect to');
});

test('connects to what the operator permits', async () => {
  expect(await statusOf(kubeconfigOf(`127.0.0.2:${cluster.port}`))).toMatchObject({
    // The error shows that the server connected, as the certificate has other names.
    message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
  });
});
