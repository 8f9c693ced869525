/** `platform` in a pipe, with a real server: its standard output, standard error and exit codes. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { issueAuthority } from '../../../pkg/pki/issue.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { platformCli, type PlatformCli, type Run } from '../../fixtures/clients/platformcli.js';
import { ADMIN, sendAs, type SendAs } from '../../fixtures/clients/impersonation.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
let server: ServerFixture;
let send: SendAs;
let cli: PlatformCli;
let caFile: string;

beforeAll(async () => {
  server = await startServer();
  send = sendAs(server);
  cli = platformCli();
  caFile = join(cli.home, 'ca.crt');
  writeFileSync(caFile, authorityOf(server));
  const logged = await cli.run(['login', server.url, '--ca-file', caFile], { input: ADMIN_TOKEN });
  expect(logged).toMatchObject({ code: 0, stdout: '', stderr: `Logged in to ${server.url} as admin.\n` });
});
afterAll(async () => {
  cli.remove();
  await server.remove();
});

const run = (...args: string[]): Promise<Run> => cli.run(args);

describe('login', () => {
  test('stores the login where only its owner can read it', async () => {
    const path = join(cli.home, '.config', 'platform', 'config.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await run('context', 'list')).stdout).toMatch(/\* +127\.0\.0\.1:\d+ +https:/);
  });

  test('pins an authority by its fingerprint, and refuses another', async () => {
    const { fingerprint256 } = new X509Certificate(authorityOf(server));
    const other = fingerprint256.replace(/^../, (first) => (first === '00' ? '11' : '00'));
    const args = ['login', server.url, '--name', 'pinned'];
    const wrong = await cli.run([...args, '--fingerprint', other], { input: ADMIN_TOKEN });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('not the one that was given') });
    const right = await cli.run([...args, '--fingerprint', `SHA256:${fingerprint256}`], {
      input: ADMIN_TOKEN,
    });
    expect(right).toMatchObject({ code: 0 });
    expect((await run('context', 'use', '127.0.0.1:' + server.port)).code).toBe(0);
    expect((await run('--context', 'pinned', 'whoami')).stdout).toMatch(/User +admin/);
    expect((await run('--context', 'pinned', 'logout')).code).toBe(0);
    expect(await run('--context', 'pinned', 'whoami')).toMatchObject({ code: 5 });
  });

  test.each(['', '\n', '  \n'])(
    'without a key (%j) ends with 2, and asks the server nothing',
    async (input) => {
      const login = ['--debug', 'login', server.url, '--ca-file', caFile, '--name', 'keyless'];
      const ended = await cli.run(login, { input });
      expect(ended).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('the access key is empty: give it by'),
      });
      expect(ended.stderr).not.toContain('> ');
      expect((await run('context', 'list')).stdout).not.toContain('keyless');
    },
  );

  test('names a file without the certificates of the authority, by every way to give it', async () => {
    const other = (await issueAuthority('other', { now: Date.now() })).certificate;
    const files: [string, string][] = [
      ['', 'has no certificate'],
      [authorityOf(server).replace(/(-----)\n./, '$1\n!'), 'has a certificate that cannot be read'],
      [other, 'did not issue its certificate'],
    ];
    for (const [text, why] of files) {
      const file = join(cli.home, 'wrong.crt');
      writeFileSync(file, text);
      const login = ['login', server.url, '--ca-file', file, '--name', 'x'];
      const byFlag = await cli.run(login, { input: ADMIN_TOKEN });
      expect([byFlag.code, byFlag.stderr]).toEqual([1, expect.stringContaining(`--ca-file ${file}`)]);
      const env = { PLATFORM_URL: server.url, PLATFORM_ACCESS_KEY: ADMIN_TOKEN, PLATFORM_CA_FILE: file };
      const byVariable = await cli.run(['whoami'], { env });
      expect(byVariable.stderr).toContain(`PLATFORM_CA_FILE=${file}`);
      for (const { stderr } of [byFlag, byVariable]) expect(stderr).toContain(why);
    }
  });

  test('stores nothing with an unknown authority, or a wrong key', async () => {
    const unknown = await cli.run(['login', server.url, '--name', 'x'], { input: ADMIN_TOKEN });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('--fingerprint') });
    const wrong = await cli.run(['login', server.url, '--name', 'x', '--ca-file', caFile], {
      input: 'mk_wrong',
    });
    expect(wrong).toMatchObject({ code: 3 });
    expect((await run('context', 'list')).stdout).not.toMatch(/ x /);
  });
});

describe('secrets', () => {
  test('are written from an argument, a file and standard input, and read back as they were', async () => {
    const binary = Buffer.from([0, 255, 10, 13, 128]);
    const file = join(cli.home, 'binary');
    writeFileSync(file, binary);
    expect(await run('set', 'secret', 'db.user', 'app')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Secret "db": entry "user" is set.\n',
    });
    expect((await run('set', 'secret', 'db.blob', '--file', file)).code).toBe(0);
    expect((await cli.run(['set', 'secret', 'db.a.b'], { input: "it's\n" })).code).toBe(0);
    expect((await run('get', 'secret', 'db.user')).stdout).toBe('app');
    expect((await run('get', 'secret', 'db.blob')).bytes).toEqual(binary);
    expect((await run('get', 'secret', 'db.a.b', '-o', 'env')).stdout).toBe(`a_b='it'\\''s'\n`);
    expect((await run('get', 'secret', 'db')).stdout).toMatch(/^ENTRY +VALUE\n/);
    expect(JSON.parse((await run('get', 'secret', 'db', '-o', 'json')).stdout)).toMatchObject({
      kind: 'SharedSecret',
      spec: { data: { user: 'YXBw' } },
    });
    expect(await run('get', 'secret', 'db', '-o', 'raw')).toMatchObject({ code: 2 });
    expect(await run('get', 'secret', 'db', '-o', 'env')).toMatchObject({ code: 1, stdout: '' });
  });

  test('are set by many at once, and nothing is lost', async () => {
    const keys = Array.from({ length: 8 }, (_, at) => `k${at}`);
    const runs = await Promise.all(keys.map((key) => run('set', 'secret', `many.${key}`, key)));
    expect(runs.map(({ code }) => code)).toEqual(keys.map(() => 0));
    const { spec } = JSON.parse((await run('get', 'secret', 'many', '-o', 'json')).stdout) as {
      spec: { data: object };
    };
    expect(Object.keys(spec.data).sort()).toEqual(keys);
  });

  test('are listed, shared and deleted', async () => {
    await run('set', 'secret', 'shared.key', 'v');
    expect((await run('list', 'secrets')).stdout).toMatch(/^NAME +DISPLAY NAME +ENTRIES +OWNER +AGE\n/);
    expect((await run('list', 'secret', '-A', '-o', 'name')).stdout.split('\n')).toContain('shared');
    expect((await send('anna', 'GET', `${API}/namespaces/default/sharedsecrets/shared`)).status).toBe(403);
    expect((await run('share', 'secret', 'shared', '--user', 'anna', '--allow-unknown')).code).toBe(0);
    const more = ['--user', 'ben', '--team', 'ops', '--allow-unknown'];
    expect((await run('share', 'secret', 'shared', ...more)).code).toBe(0);
    expect((await send('anna', 'GET', `${API}/namespaces/default/sharedsecrets/shared`)).status).toBe(200);
    const { spec } = JSON.parse((await run('get', 'secret', 'shared', '-o', 'json')).stdout) as {
      spec: { access: unknown };
    };
    expect(spec.access).toEqual([{ verbs: ['get'], users: ['anna', 'ben'], teams: ['ops'] }]);
    expect(await run('delete', 'secret', 'shared')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect((await run('delete', 'secret', 'shared.key', '--yes')).code).toBe(0);
    expect(await run('get', 'secret', 'shared.key')).toMatchObject({ code: 5 });
    expect((await run('delete', 'secret', 'shared', '--yes', '--wait')).code).toBe(0);
    expect(await run('get', 'secret', 'shared')).toMatchObject({ code: 5 });
  });
});

describe('access keys', () => {
  const asKey = (key: string): Record<string, string> => ({
    PLATFORM_URL: server.url,
    PLATFORM_ACCESS_KEY: key,
    PLATFORM_CA_FILE: caFile,
  });
  const codeWith = async (key: string): Promise<number | null> =>
    (await cli.run(['whoami'], { env: asKey(key) })).code;

  test('are created, shown once, disabled, enabled, rotated and deleted', async () => {
    await send(ADMIN, 'POST', `${API}/users`, { metadata: { name: 'anna' } });
    const made = await run('create', 'accesskey', 'ci', '--user', 'anna', '--ttl', '1h');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^mk_\w{46}\n$/) });
    const key = made.stdout.trim();
    expect(await codeWith(key)).toBe(0);
    expect((await run('list', 'accesskeys')).stdout).toMatch(/ci .* anna/);
    expect((await run('disable', 'accesskey', 'ci')).code).toBe(0);
    expect(await codeWith(key)).toBe(3);
    expect((await run('enable', 'accesskey', 'ci')).code).toBe(0);
    expect(await codeWith(key)).toBe(0);
    const rotated = (await run('rotate', 'accesskey', 'ci', '-o', 'env')).stdout;
    expect(rotated).toMatch(/^PLATFORM_URL='https:.*'\nPLATFORM_ACCESS_KEY='mk_\w{46}'\n$/);
    expect(await codeWith(key)).toBe(3);
    expect(await codeWith(/mk_\w+/.exec(rotated)?.[0] ?? '')).toBe(0);
    expect((await run('delete', 'accesskey', 'ci', '--yes')).code).toBe(0);
    expect(await run('disable', 'accesskey', 'ci')).toMatchObject({ code: 5 });
  });

  test('of a pipeline read one project, and nothing else', async () => {
    await run('create', 'project', 'web');
    await run('create', 'project', 'shop');
    for (const project of ['web', 'shop'])
      expect(await run('set', 'secret', 'deploy.token', `of ${project}`, '--project', project)).toMatchObject(
        { code: 0 },
      );
    const key = (
      await run('create', 'accesskey', 'pipeline', '--project', 'web', '--allow-cli')
    ).stdout.trim();
    const job = (...args: string[]): Promise<Run> => cli.run(args, { env: asKey(key) });
    expect(await job('get', 'secret', 'deploy.token', '--project', 'web')).toMatchObject({
      code: 0,
      stdout: 'of web',
    });
    expect(await job('get', 'secret', 'deploy.token', '--project', 'shop')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('denied by access key scope'),
    });
    for (const args of [
      ['get', 'secret', 'db.user'],
      ['list', 'accesskeys'],
      ['create', 'accesskey', 'more'],
      ['create', 'project', 'mine'],
    ])
      expect([args, (await job(...args)).code]).toEqual([args, 4]);
  });
});

describe('exit codes, errors and traces', () => {
  test.each<[string[], number]>([
    [['nonsense'], 2],
    [['get', 'secret'], 2],
    [['get', 'secret', 'none.key'], 5],
    [['create', 'project', 'Bad_Name'], 1],
    [['doctor'], 0],
    [['version'], 0],
  ])('%j ends with %i', async (args, code) => {
    const ended = await cli.run(args);
    expect([ended.code, ended.stderr]).toEqual([
      code,
      expect.stringMatching(code === 0 ? /^/ : /^platform: .*\n$/),
    ]);
  });

  test('who may not do something is told what, and whom to ask, once; --debug has the words of the server', async () => {
    await run('create', 'user', 'newcomer');
    const made = await run('create', 'accesskey', '--user', 'newcomer', '--ttl', '1h');
    const env = {
      PLATFORM_URL: server.url,
      PLATFORM_ACCESS_KEY: made.stdout.trim(),
      PLATFORM_CA_FILE: caFile,
    };
    const told = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await cli.run(args, { env });
      expect(code).toBe(4);
      return stderr;
    };
    const advice = (command: string): string =>
      `ask an administrator, or whoever "platform who-can ${command}" shows\n`;
    expect(await told('list', 'secrets', '-A')).toBe(
      `platform: "newcomer" may not list secrets in all namespaces; ${advice('list secret')}`,
    );
    expect(await told('list', 'secrets')).toBe(
      `platform: "newcomer" may not list secrets in namespace "default"; ${advice('list secret --namespace default')}`,
    );
    expect(await told('list', 'projects')).toBe(
      `platform: "newcomer" may not list projects; ${advice('list project')}`,
    );
    expect(await told('create', 'project', 'mine')).toMatch(
      /^platform: "newcomer" may not create project.*; ask an administrator/,
    );
    expect(await told('invite', 'ada')).toMatch(/; to invite takes the right to create users .*\n$/);
    expect(await told('--debug', 'list', 'projects')).toContain('cannot list resource "projects"');
  });

  test('an existing name ends with exit code 6', async () => {
    await run('create', 'project', 'taken');
    expect(await run('create', 'project', 'taken')).toMatchObject({ code: 6 });
  });

  test('without a login it ends with 3, and says what to do', async () => {
    const ended = await cli.run(['whoami'], { env: { HOME: join(cli.home, 'other') } });
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('platform login URL') });
  });

  test('--debug shows requests, and nothing secret', async () => {
    const { stderr } = await run('--debug', 'set', 'secret', 'traced.key', 'hush-hush');
    expect(stderr).toMatch(
      /^> GET https:.*sharedsecrets\/traced\.key\n< 404 after \d+ ms\n> GET https:.*sharedsecrets\/traced\n< 404 after \d+ ms\n> PATCH https:.*\n< 404 after \d+ ms\n> POST/,
    );
    expect(stderr).not.toMatch(/hush|aHVzaC1odXNo|Bearer|admin-token/);
  });

  test.each([
    [{ PLATFORM_ACCESS_KEY: 'mk_unknown' }, 'credentials', 'access key not found', 'log in again'],
    [{ PLATFORM_URL: 'https://127.0.0.1:1' }, 'server', 'ECONNREFUSED', 'look whether the server runs'],
    [{ PLATFORM_CA_FILE: '/dev/null' }, 'login', '/dev/null has no certificate', 'platform get ca'],
    [{ PLATFORM_CA_FILE: '/no' }, 'login', 'PLATFORM_CA_FILE=/no is not read', 'platform get ca'],
  ])('doctor says the one cause, and what to do: %j', async (env, check, found, advice) => {
    const usual = { PLATFORM_URL: server.url, PLATFORM_ACCESS_KEY: ADMIN_TOKEN, PLATFORM_CA_FILE: caFile };
    const { code, stdout } = await cli.run(['doctor', '-o', 'json'], { env: { ...usual, ...env } });
    const checks = JSON.parse(stdout) as { check: string; state: string; found: string; advice?: string }[];
    const wrong = checks.filter(({ state }) => state === 'wrong');
    expect([code, wrong]).toEqual([
      1,
      [expect.objectContaining({ check, found: expect.stringContaining(found) })],
    ]);
    expect(wrong[0]?.advice ?? '').toContain(advice);
  });

  test('doctor prints its checks as JSON, too', async () => {
    const found = JSON.parse((await run('doctor', '-o', 'json')).stdout) as {
      check: string;
      state: string;
    }[];
    expect(found.map(({ check, state }) => `${check} ${state}`)).toEqual([
      'login ok',
      'certificate ok',
      'server ok',
      'clock ok',
      'apiservice skipped',
      'store ok',
      'credentials ok',
      'permissions ok',
    ]);
  });
});
