/** `platform connect cluster` by a kubeconfig that is refused, and names that are wrong: nothing of it stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { API } from '../../fixtures/agents/tunnel.js';
import { client } from '../../fixtures/clients/client.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { kubeconfigOf } from '../../fixtures/agents/manyclusters.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRET = '/api/v1/namespaces/management-system/secrets/cluster-north';
const CLUSTER = `${API}/clusters/north`;
let strict: ServerFixture;
let open: ServerFixture;
let clis: ReadonlyMap<ServerFixture, PlatformCli>;

beforeAll(async () => {
  [strict, open] = await Promise.all([startServer({ clusterNetworks: '', isNew: true }), startServer()]);
  clis = new Map([strict, open].map((server) => [server, platformCli()]));
  for (const [server, cli] of clis) {
    const ca = join(cli.home, 'ca.crt');
    writeFileSync(ca, authorityOf(server));
    expect((await cli.run(['login', server.url, '--ca-file', ca], { input: ADMIN_TOKEN })).code).toBe(0);
  }
});
afterAll(async () => {
  for (const [server, cli] of clis ?? []) {
    cli.remove();
    await server.remove();
  }
});

async function run(server: ServerFixture, ...args: string[]): Promise<Run> {
  const cli = clis.get(server);
  if (cli === undefined) throw new Error('no such server');
  return cli.run(args);
}

function connect(server: ServerFixture, text: string): Promise<Run> {
  const file = join(server.directory, 'north.yaml');
  writeFileSync(file, text, { mode: 0o600 });
  return run(server, 'connect', 'cluster', 'north', '--kubeconfig-file', file);
}

/** The statuses of what a connection makes. */
const made = (server: ServerFixture): Promise<number[]> =>
  Promise.all([SECRET, CLUSTER].map(async (path) => (await client(server).send('GET', path)).status));

test('an address that the server does not connect to ends it, and the flag that allows it is said', async () => {
  const { code, stderr } = await connect(strict, readFileSync(open.kubeconfig, 'utf8'));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /cluster "north" is not connected: .*nothing of it was kept: restart the server with --allow-cluster-networks 127\.0\.0\.0\/8 and run/,
    ),
  ]);
  expect(await made(strict)).toEqual([404, 404]);
});

test('a certificate of another authority ends it at once', async () => {
  const { code, stderr } = await connect(open, kubeconfigOf(strict.url, authorityOf(open)));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /is not connected: cluster "north" cannot be reached: [A-Z_]+; nothing of it was kept: put the authority/,
    ),
  ]);
  expect(await made(open)).toEqual([404, 404]);
});

test('a closed port is said at once, and Ctrl-C while it waits leaves nothing', async () => {
  const { program, env } = clis.get(open) as PlatformCli;
  const file = join(open.directory, 'closed.yaml');
  writeFileSync(file, kubeconfigOf('https://127.0.0.1:1', authorityOf(open)));
  const args = [program, 'connect', 'cluster', 'north', '--kubeconfig-file', file];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let told = '';
  child.stderr.on('data', (piece: Buffer) => (told += piece.toString()));
  try {
    await eventually('the closed port is told', async () =>
      /^nothing listens on 127\.0\.0\.1:1; trying until \d\d:\d\d:\d\d \.\.\.$/m.test(told),
    );
    expect(await made(open)).toEqual([200, 200]);
  } finally {
    child.kill('SIGINT');
  }
  expect(await ended).toEqual([null, 'SIGINT']);
  expect(await made(open)).toEqual([404, 404]);
});

test('a host that does not exist, and a port that does not speak TLS, end it at once', async () => {
  const plain = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  try {
    for (const [url, why] of [
      ['https://nowhere.invalid:6443', 'see that the name nowhere.invalid is right, or restart'],
      [
        `https://127.0.0.1:${(plain.address() as AddressInfo).port}`,
        'does not speak TLS; nothing of it was kept: mend the kubeconfig and run',
      ],
    ] as const) {
      const { code, stderr } = await connect(open, kubeconfigOf(url, authorityOf(open)));
      expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
      expect(await made(open)).toEqual([404, 404]);
    }
  } finally {
    plain.close();
  }
});

test('credentials that the cluster refuses end it, and the same command with right ones goes on', async () => {
  const { code, stderr } = await connect(open, kubeconfigOf(strict.url, authorityOf(strict)));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/is not connected: cluster "north" answers 401 .*mend the kubeconfig and run/),
  ]);
  expect(await made(open)).toEqual([404, 404]);
  expect(await connect(open, readFileSync(strict.kubeconfig, 'utf8'))).toMatchObject({ code: 0 });
  expect(await made(open)).toEqual([200, 200]);
});

const value = async (): Promise<string> => {
  const { data } = JSON.parse((await client(open).send('GET', SECRET)).text) as { data: { config: string } };
  return Buffer.from(data.config, 'base64').toString();
};

test('the same command takes another kubeconfig over, and keeps the earlier one where that does not work', async () => {
  const good = readFileSync(strict.kubeconfig, 'utf8');
  const renewed = `# renewed\n${good}`;
  for (const text of [good, renewed, renewed]) {
    const { code, stderr } = await connect(open, text);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Connected: the server reaches .*\n$/)]);
    expect(await value()).toBe(text);
  }
  const { code, stderr } = await connect(open, kubeconfigOf(strict.url, authorityOf(strict)));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/answers 401 .*the earlier kubeconfig is used again: mend the kubeconfig and run/),
  ]);
  expect(await value()).toBe(renewed);
  await eventually('the earlier kubeconfig is used', async () => {
    const { stdout } = await run(open, 'get', 'cluster', 'north', '-o', 'jsonpath={.status.phase}');
    return stdout.trim() === 'Ready';
  });
});

test('it makes a Secret that was deleted again, and goes on where it ended in between', async () => {
  const good = readFileSync(strict.kubeconfig, 'utf8');
  expect((await client(open).send('DELETE', SECRET)).status).toBe(200);
  expect(await connect(open, good)).toMatchObject({ code: 0 });
  const merge = { 'content-type': 'application/merge-patch+json' };
  const without = { spec: { config: null } };
  expect((await client(open).send('PATCH', CLUSTER, without, merge)).status).toBe(200);
  expect(await connect(open, good)).toMatchObject({ code: 0 });
});

test('a cluster whose kubeconfig is in a Secret of somebody else is left alone', async () => {
  const secrets = SECRET.replace(/\/[^/]+$/, '');
  const secret = { metadata: { name: 'mine' }, data: { config: '' } };
  expect((await client(open).send('POST', secrets, secret)).status).toBe(201);
  expect(await run(open, 'create', 'cluster', 'south', '--secret', 'mine')).toMatchObject({ code: 0 });
  const files = ['--kubeconfig-file', strict.kubeconfig];
  expect(await run(open, 'connect', 'cluster', 'south', ...files)).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(
      /in the Secret management-system\/mine, which .*change the value of that Secret, or disconnect it with "platform disconnect cluster south"/,
    ),
  });
});

const withUser = (user: object, cluster: object = { server: 'https://east.example:6443' }): string =>
  stringify({
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster }],
    users: [{ name: 'a', user }],
  });

test.each([
  ['a program', withUser({ exec: { command: 'login-unseen' } }), 'users[0].user.exec: Forbidden'],
  [
    'a file',
    withUser({ token: 'unseen' }, { server: 'https://east.example', 'certificate-authority': 'ca-unseen' }),
    'clusters[0].cluster.certificate-authority: Forbidden',
  ],
  ['no YAML', 'users: [unseen', 'must be a kubeconfig in YAML'],
])('a kubeconfig with %s is refused before anything is made', async (_what, text, why) => {
  const { code, stderr } = await connect(strict, text);
  expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
  expect(stderr).toContain('kubectl config view --minify --flatten');
  expect(stderr).not.toContain('unseen');
  expect(await made(strict)).toEqual([404, 404]);
});

test('a name that no cluster can have is refused, with the one that was meant', async () => {
  for (const more of [['--kubeconfig-file', open.kubeconfig], ['--print']])
    expect(await run(strict, 'connect', 'cluster', 'North', ...more)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"North" cannot be the name of a cluster.*did you mean north\?/),
    });
});

test('a cluster that is not there is looked for before helm runs', async () => {
  const made = await client(strict).send('POST', `${API}/clusters`, { metadata: { name: 'south' } });
  expect(made.status).toBe(201);
  // With helm first it would fail otherwise: there is no kubeconfig, and perhaps no helm.
  expect(await run(strict, 'disconnect', 'cluster', 'sout', '--yes')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('there is no cluster "sout"; did you mean south?'),
  });
});
