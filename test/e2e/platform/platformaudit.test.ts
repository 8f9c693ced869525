/** `platform audit` with a running server: its output, errors and completions. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { API, bodyOf } from '../../fixtures/clients/accesskeys.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { client } from '../../fixtures/clients/client.js';
import { type PlatformCli, platformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { ADMIN_TOKEN, type ServerFixture, startServer, VIEWER_TOKEN } from '../../fixtures/servers/server.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let server: ServerFixture;
let cli: PlatformCli;
const audit = (...args: string[]): Promise<Run> => cli.run(['audit', ...args]);

async function logIn(to: ServerFixture): Promise<void> {
  const caFile = join(cli.home, 'ca.crt');
  writeFileSync(caFile, authorityOf(to));
  await cli.run(['login', to.url, '--ca-file', caFile], { input: ADMIN_TOKEN });
}

beforeAll(async () => {
  server = await startServer();
  cli = platformCli();
  const admin = client(server);
  for (const name of ['one', 'two']) await admin.send('POST', MAPS, { metadata: { name } });
  await client(server, VIEWER_TOKEN).send('GET', `${MAPS}/one`);
  await logIn(server);
});
afterAll(async () => {
  cli.remove();
  await server.remove();
});

test('prints what was recorded, the newest first', async () => {
  const { stdout, stderr, code } = await audit(
    '--resource',
    'configmaps',
    '--verb',
    'create',
    '--since',
    '1h',
  );
  expect([code, stderr]).toEqual([0, '']);
  const [heading = '', ...rows] = stdout.trim().split('\n');
  expect(heading).toMatch(/^TIME +USER +VERB +OBJECT +CODE$/);
  expect(rows.map((row) => row.replace(/^\S+Z +/, '').replace(/ +/g, ' '))).toEqual([
    'admin create configmaps/two -n default 201',
    'admin create configmaps/one -n default 201',
  ]);
  const refused = await audit('--user', 'viewer', '--code', '4xx', '-o', 'wide');
  expect(refused.stdout).toMatch(/viewer +get +configmaps\/one -n default +403 +127\.0\.0\.1 +[\w-]+\n/);
});

test('prints json and yaml, and says that there is more', async () => {
  const { stdout, stderr } = await audit('--resource', 'configmaps', '--limit', '1', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'AuditSearch',
    spec: { resource: 'configmaps' },
    status: { log: 'File', events: [{ kind: 'Event', apiVersion: 'audit.k8s.io/v1' }] },
  });
  expect(stderr).toContain('There may be older events');
  expect((await audit('--limit', '1', '-o', 'yaml')).stdout).toContain('kind: AuditSearch');
  const none = await audit('--user', 'nobody-at-all');
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', expect.stringContaining('Nothing found')]);
});

test('finds what was refused, and what was written, by one word', async () => {
  const refused = await audit('--about', 'Refused', '--resource', 'configmaps');
  expect(refused.stdout).toMatch(/viewer +get +configmaps\/one -n default +403\n$/);
  const changes = await audit('--about', 'Changes', '--resource', 'configmaps');
  expect(changes.stdout.trim().split('\n')).toHaveLength(3);
});

test.each([
  [['--about', 'Nothing'], 2, /Allowed choices are Changes, SecretReads, Refused/],
  [['--limit', '0'], 2, /--limit 0/],
  [['--since', 'yesterday'], 2, /--since yesterday/],
  [['--since', '1h', '--after', '2026-01-01T00:00:00Z'], 2, /one of --since and --after/],
  [['-o', 'name'], 2, /-o name is not offered/],
  [['--after', 'yesterday'], 1, /spec\.after/],
  [['--code', '4.*'], 1, /spec\.code/],
])('refuses %j', async (args, code, message) => {
  const ended = await audit(...args);
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(message)]);
});

test('says that there is no right, with exit code 4', async () => {
  const env = { PLATFORM_URL: server.url, PLATFORM_ACCESS_KEY: VIEWER_TOKEN };
  const ca = { PLATFORM_CA_FILE: join(cli.home, 'ca.crt') };
  const ended = await cli.run(['audit'], { env: { ...env, ...ca } });
  expect([ended.code, ended.stderr]).toEqual([4, expect.stringContaining('auditsearches')]);
});

test('is completed', async () => {
  expect((await cli.run(['__complete', 'aud'])).stdout).toBe('audit\n');
  expect((await cli.run(['__complete', 'audit', '--na'])).stdout.split('\n')).toEqual(
    expect.arrayContaining(['--namespace', '--name']),
  );
  expect((await cli.run(['__complete', 'audit', '-o', ''])).stdout).toBe('wide\njson\nyaml\n');
});

test.each([
  ['-', 'writes its audit log to standard output'],
  ['none', 'has no audit log'],
])('says that the server keeps no log, %s', async (path, why) => {
  const other = await startServer({ flags: [`--audit-log-path=${path}`] });
  try {
    await logIn(other);
    await client(other).send('POST', `${API}/projects`, bodyOf('Project', 'web'));
    const ended = await audit();
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([1, '', expect.stringContaining(why)]);
  } finally {
    await other.remove();
  }
});
