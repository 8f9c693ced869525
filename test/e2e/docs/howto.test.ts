/** Follows the pages `docs/how-to-add-*.md` in a copy of the program, which is then compiled and run. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { follow, stepsOf, type Step } from '../../fixtures/docs/howto.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COPIED = [
  'api',
  'cmd',
  'pkg',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'jest.config.js',
];

const page = (name: string): Step[] => {
  const steps = stepsOf(readFileSync(join(ROOT, 'docs', `how-to-add-${name}.md`), 'utf8'));
  if (steps.length === 0) throw new Error(`docs/how-to-add-${name}.md has no steps`);
  return steps;
};

/** The kind of the page in a group that the server does not have. */
const inGroup = ({ file, text }: Step): Step => ({
  file: file.replaceAll('management.svc.example', 'shapes.example').replaceAll('widget', 'circle'),
  text: text
    .replaceAll('management.svc.example', 'shapes.example')
    .replaceAll('Widget', 'Circle')
    .replaceAll('widget', 'circle')
    .replace("['wi']", "['ci']"),
});

const KINDS = [
  { group: 'management.svc.example', kind: 'Widget' },
  { group: 'shapes.example', kind: 'Circle' },
] as const;

let directory: string;
let server: ServerFixture;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'how-to-'));
  for (const name of COPIED) cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const kind = page('a-kind');
  follow(directory, [
    ...kind,
    ...kind.map(inGroup),
    ...page('an-admission-plugin'),
    ...page('a-controller'),
    ...page('a-storage-engine'),
  ]);
  const compiler = join(ROOT, 'node_modules', 'typescript7', 'bin', 'tsc');
  const done = spawnSync(compiler, ['-p', 'tsconfig.build.json', '--checkers', '1'], {
    cwd: directory,
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`it does not compile: ${done.stdout}${done.stderr}`);
  server = await startServer({
    dist: join(directory, 'dist'),
    flags: ['--enable-admission-plugins=DisplayNames'],
    controllers: '*',
  });
});
afterAll(async () => {
  await server?.remove();
  rmSync(directory, { recursive: true, force: true });
});

const send = (method: string, path: string, body?: object): Promise<Answer> =>
  fetchFrom(server.url + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });

describe.each(KINDS)('$kind of $group', ({ group, kind }) => {
  const plural = `${kind.toLowerCase()}s`;
  const collection = `/apis/${group}/v1/namespaces/default/${plural}`;
  test('is in discovery and in the OpenAPI documents', async () => {
    expect((await send('GET', '/apis')).text).toContain(`"groupVersion":"${group}/v1"`);
    expect((await send('GET', `/apis/${group}/v1`)).text).toContain(`"kind":"${kind}"`);
    expect((await send('GET', `/openapi/v3/apis/${group}/v1`)).text).toContain(
      `${kind} is something of which there are sizes.`,
    );
    expect((await send('GET', '/openapi/v2')).text).toContain(
      `${kind} is something of which there are sizes.`,
    );
  });

  test('is created with its defaults, validated, read and listed', async () => {
    const head = { apiVersion: `${group}/v1`, kind };
    const created = await send('POST', collection, { ...head, metadata: { name: 'one' } });
    expect(created.status).toBe(201);
    const bad = { ...head, metadata: { name: 'bad' }, spec: { size: 0 } };
    expect(await send('POST', collection, bad)).toMatchObject({ status: 422 });
    const even = { ...bad, spec: { size: 4 } };
    expect(await send('POST', collection, even)).toMatchObject({
      status: 422,
      text: expect.stringContaining('spec.size: Invalid value: 4: must be odd'),
    });
    const read = await send('GET', `${collection}/one`);
    expect(JSON.parse(read.text)).toMatchObject({ ...head, spec: { size: 3 }, metadata: { generation: 1 } });
    expect(JSON.parse((await send('GET', collection)).text)).toMatchObject({
      kind: `${kind}List`,
      items: [{ metadata: { name: 'one' } }],
    });
  });

  const kubectlTest = findProgram('kubectl') === undefined ? test.skip : test;
  kubectlTest('is known to kubectl', () => {
    const kubectl = (...args: string[]): string => {
      const flags = [`--kubeconfig=${server.kubeconfig}`, `--cache-dir=${join(server.directory, 'cache')}`];
      const done = spawnSync(findProgram('kubectl') as string, [...flags, ...args], { encoding: 'utf8' });
      return done.stdout + done.stderr;
    };
    expect(kubectl('explain', `${plural}.spec`)).toMatch(/size\s+<integer>\s+How large it is\./);
    expect(kubectl('get', kind.toLowerCase().slice(0, 2), '-n', 'default')).toMatch(
      /^NAME +AGE\none +\S+\n$/,
    );
    expect(kubectl('api-resources', '-o', 'name')).toContain(`${plural}.${group}\n`);
  });
});

const MANAGEMENT = '/apis/management.svc.example/v1';

test('an admission plugin refuses what it should, and nothing else', async () => {
  const secrets = `${MANAGEMENT}/namespaces/default/sharedsecrets`;
  const secret = (name: string, spec: object): object => ({
    apiVersion: 'management.svc.example/v1',
    kind: 'SharedSecret',
    metadata: { name },
    spec,
  });
  expect(await send('POST', secrets, secret('silent', {}))).toMatchObject({
    status: 403,
    text: expect.stringContaining('spec.displayName is required'),
  });
  expect(await send('POST', secrets, secret('told', { displayName: 'Told' }))).toMatchObject({ status: 201 });
  expect(await send('DELETE', `${secrets}/told`)).toMatchObject({ status: 200 });
});

test('a controller brings objects to where they should be', async () => {
  const team = { apiVersion: 'management.svc.example/v1', kind: 'Team', metadata: { name: 'crew' } };
  expect(await send('POST', `${MANAGEMENT}/teams`, { ...team, spec: { users: ['a', 'b'] } })).toMatchObject({
    status: 201,
  });
  await eventually('the number of users is there', async () => {
    const { text } = await send('GET', `${MANAGEMENT}/teams/crew`);
    return text.includes('"example.com/users":"2"');
  });
});

test('a storage engine passes the conformance suite', () => {
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = [
    '--experimental-vm-modules',
    jest,
    '--rootDir',
    directory,
    '--roots',
    join(directory, 'pkg/storage/ephemeral'),
    '--maxWorkers=1',
  ];
  // One watch of an engine that forgets never goes on: the suite waits for it a tenth as long as elsewhere.
  const env = { ...process.env, TEST_SLOWNESS: String(Number(process.env.TEST_SLOWNESS ?? '1') / 10) };
  const done = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8', env });
  expect(done.stderr).toMatch(/Tests: +\d+ passed, \d+ total/);
  expect(done.status).toBe(0);
});
