/**
 * `platform` and the lifecycle of objects: every noun is created, shown, listed, edited and deleted; secrets are set
 * and passed to a command.
 */
import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import type { PlatformCli, Run } from '../../fixtures/clients/platformcli.js';
import { ADMIN_TOKEN } from '../../fixtures/servers/server.js';

let it: LoggedInCli;
let cli: PlatformCli;

beforeAll(async () => {
  it = await startLoggedIn({ controllers: '*' });
  ({ cli } = it);
  await run('create', 'project', 'web', '--display-name', 'The website');
});
afterAll(() => it.remove());

const run = (...args: string[]): Promise<Run> => cli.run(args);
const shown = async (...args: string[]): Promise<string> => (await run(...args)).stdout;

/** The environment with an editor that replaces `from` by `to`. */
function editor(from: string, to: string): Record<string, string> {
  const path = join(cli.home, 'editor');
  writeFileSync(path, `#!/bin/sh\nsed -i 's/${from}/${to}/' "$1"\n`);
  chmodSync(path, 0o755);
  return { EDITOR: path, XDG_RUNTIME_DIR: '', TMPDIR: cli.home };
}

describe('nouns', () => {
  test.each([
    ['user', ['--email', 'ada@example.com'], '{.spec.email}', 'ada@example.com'],
    ['team', ['--user', 'ada', '--allow-unknown'], '{.spec.users[0]}', 'ada'],
    ['project', ['--description', 'Made by a test'], '{.spec.description}', 'Made by a test'],
    ['space', ['--project', 'web', '--no-wait'], '{.metadata.name}', 'one'],
    ['cluster', ['--secret', 'absent', '--allow-unknown'], '{.spec.config.secretName}', 'absent'],
  ])('a %s', async (noun, flags, path, expected) => {
    const place = flags.includes('--project') ? ['--project', 'web'] : [];
    expect(await run('create', noun, 'one', ...flags)).toMatchObject({ code: 0, stdout: '' });
    expect(await shown('get', noun, 'one', ...place)).toMatch(/^NAME .*\none /);
    const edited = await cli.run(['edit', noun, 'one', ...place], {
      env: editor('^spec:.*', 'spec:\\n  displayName: Edited'),
    });
    expect(edited).toMatchObject({ code: 0, stderr: expect.stringMatching(/Changed .* "one"\.\n$/) });
    const values = `jsonpath=${path} {.spec.displayName}`;
    expect(await shown('get', noun, 'one', ...place, '-o', values)).toBe(`${expected} Edited`);
    expect(await shown('__complete', 'get', noun, ...place, 'o')).toBe('one\n');
    const deleted = await run('delete', noun, 'one', ...place, '--yes');
    expect([deleted.code, deleted.stderr]).toEqual([0, expect.stringContaining(`Deleted ${noun} "one".\n`)]);
  });

  test('are shown in each form', async () => {
    await run('create', 'user', 'formal', '--display-name', 'Formal');
    expect(await shown('get', 'user', 'formal', '-o', 'name')).toBe('formal\n');
    expect(await shown('get', 'user', 'formal', '-o', 'yaml')).toContain('displayName: Formal');
    expect(JSON.parse(await shown('get', 'user', 'formal', '-o', 'json'))).toMatchObject({
      metadata: { name: 'formal' },
    });
  });

  test('are not changed where a field is misspelled', async () => {
    await run('create', 'user', 'careful', '--email', 'careful@example.com');
    const edited = await cli.run(['edit', 'user', 'careful'], { env: editor('email:', 'emial:') });
    expect(edited).toMatchObject({ code: 1, stderr: expect.stringContaining('unknown field "spec.emial"') });
    expect(edited.stderr).not.toContain('Changed');
    const email = await shown('get', 'user', 'careful', '-o', 'jsonpath={.spec.email}');
    expect(email).toBe('careful@example.com');
  });

  test('are deleted also where one of the names is unknown', async () => {
    await run('create', 'user', 'leaver');
    const { code, stderr } = await run('delete', 'user', 'nobody', 'leaver', 'noone', '--yes');
    expect(code).toBe(5);
    expect(stderr).toMatch(
      /^Deleted user "leaver"\.\nplatform: .*"nobody" not found\nplatform: .*"noone" not found\n$/,
    );
    expect(await run('get', 'user', 'leaver')).toMatchObject({ code: 5 });
  });

  test('are chosen by their labels', async () => {
    await run('create', 'user', 'gold');
    await cli.run(['edit', 'user', 'gold'], {
      env: editor('^metadata:', 'metadata:\\n  labels: {tier: gold}'),
    });
    expect(await shown('list', 'users', '-l', 'tier=gold', '-o', 'name')).toBe('gold\n');
    expect(await shown('list', 'users', '-l', 'tier!=gold', '-o', 'name')).not.toContain('gold');
    expect(await run('list', 'users', '-l', 'a=(b')).toMatchObject({ code: 1 });
  });

  test('an editor that fails, or changes nothing, changes nothing and leaves nothing', async () => {
    await run('create', 'user', 'same');
    const env = { EDITOR: 'true', XDG_RUNTIME_DIR: '', TMPDIR: cli.home };
    expect(await cli.run(['edit', 'user', 'same'], { env })).toMatchObject({
      code: 0,
      stderr: 'Nothing was changed.\n',
    });
    expect(await cli.run(['edit', 'user', 'same'], { env: { ...env, EDITOR: 'false' } })).toMatchObject({
      code: 1,
    });
    expect(readdirSync(cli.home).filter((name) => name.startsWith('platform-edit-'))).toEqual([]);
  });
});

describe('projects', () => {
  test('have members, clusters and quotas', async () => {
    await run('create', 'user', 'mia');
    expect(await run('add', 'member', 'mia', '--project', 'web', '--role', 'viewer')).toMatchObject({
      code: 0,
    });
    await shown('add', 'member', 'nobody', '--project', 'web', '--allow-unknown');
    expect(await shown('list', 'members', '--project', 'web')).toMatch(/User +mia +viewer\n/);
    expect(await run('remove', 'member', 'nobody', '--project', 'web')).toMatchObject({ code: 0 });
    expect(await run('remove', 'member', 'nobody', '--project', 'web')).toMatchObject({ code: 5 });
    expect(await run('allow', 'cluster', 'east', '--project', 'web', '--allow-unknown')).toMatchObject({
      code: 0,
    });
    expect(await run('set', 'quota', 'instances=3', 'configmaps=10', '--project', 'web')).toMatchObject({
      code: 0,
    });
    const spec = async (): Promise<unknown> =>
      (JSON.parse(await shown('get', 'project', 'web', '-o', 'json')) as { spec: unknown }).spec;
    expect(await spec()).toMatchObject({
      members: [{ kind: 'User', name: 'mia' }],
      allowedClusters: [{ name: 'east' }],
      quotas: { instances: 3, objects: { configmaps: 10 } },
    });
    await run('set', 'quota', 'instances=', '--project', 'web');
    await run('disallow', 'cluster', 'east', '--project', 'web');
    expect(await spec()).toMatchObject({ allowedClusters: [], quotas: { objects: { configmaps: 10 } } });
    expect(await run('set', 'quota', 'many', '--project', 'web')).toMatchObject({ code: 2 });
  });
});

describe('secrets', () => {
  test('are set without the newline of a pipe, several at once, and from a file of variables', async () => {
    await cli.run(['set', 'secret', 'app.piped'], { input: 'v\n' });
    await cli.run(['set', 'secret', 'app.kept', '--keep-newline'], { input: 'v\n' });
    expect(await shown('get', 'secret', 'app.piped')).toBe('v');
    expect(await shown('get', 'secret', 'app.kept')).toBe('v\n');
    const file = join(cli.home, '.env');
    writeFileSync(file, `# a comment\nexport A='it'\\''s'\nB="two\\nlines" \n\nC=plain\n`);
    expect(
      await run(
        'set',
        'secret',
        'app',
        '--env-file',
        file,
        '--from-literal',
        'D=a=b',
        '--from-file',
        `E=${file}`,
      ),
    ).toMatchObject({
      code: 0,
      stderr: 'Secret "app": 5 entries are set. 2 more stay; --prune would remove them.\n',
    });
    for (const [key, value] of Object.entries({ A: "it's", B: 'two\nlines', C: 'plain', D: 'a=b' }))
      expect(await shown('get', 'secret', `app.${key}`)).toBe(value);
    writeFileSync(file, `A=1\nnot a variable S3CRET\n`);
    const wrong = await run('set', 'secret', 'app', '--env-file', file);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('line 2') });
    expect(wrong.stderr).not.toContain('S3CRET');
    // If Node read the --env-file itself, it would apply these options.
    writeFileSync(file, 'NODE_OPTIONS=--require=/nowhere.js\n');
    expect(await run('set', 'secret', 'app', '--from-env-file', file)).toMatchObject({ code: 0 });
    expect(await shown('get', 'secret', 'app.NODE_OPTIONS')).toBe('--require=/nowhere.js');
    expect(await shown('get', 'secret', 'app', '-o', 'name')).toBe('app\n');
    expect(await shown('get', 'secret', 'app.C', '-o', 'env', '--export')).toBe("export C='plain'\n");
  });

  test('are in the environment of a command, whose exit code is passed on', async () => {
    await run('set', 'secret', 'job', '--from-literal', 'user=app', '--from-literal', 'pass.word=p w');
    expect(
      await run('run', '--secret', 'job', '--', 'sh', '-c', 'echo "$user:$pass_word"; exit 7'),
    ).toMatchObject({
      code: 7,
      stdout: 'app:p w\n',
      stderr: '',
    });
    expect(
      await run('run', '--secret', 'job.user', '--', 'sh', '-c', 'echo "$user:$pass_word"'),
    ).toMatchObject({
      code: 0,
      stdout: 'app:\n',
    });
    expect(await run('run', '--secret', 'job', '--', 'sh', '-c', 'kill -TERM $$')).toMatchObject({
      code: 143,
    });
    expect(await run('run', '--secret', 'job', '--', 'no-such-program')).toMatchObject({ code: 127 });
    expect(await run('run', '--secret', 'absent', '--', 'true')).toMatchObject({ code: 5 });
  });

  // cmd/platform/output/environment.test.ts has the other names.
  test('an entry LD.AUDIT does not reach a command unless it is asked for', async () => {
    await run('set', 'secret', 'steer', '--from-literal', 'LD.AUDIT=/nonexistent');
    const refused = await run('run', '--secret', 'steer', '--', process.execPath, '--version');
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--allow-unsafe-env'),
    });
  });

  test('are given to a command under names that it chooses, and none of this program', async () => {
    await run('set', 'secret', 'app', '--from-literal', 'NODE_OPTIONS=x', '--from-literal', 'PLATFORM_URL=y');
    const print = ['--', 'sh', '-c', 'echo "$TOKEN:$NODE_OPTIONS:$user"'];
    const args = ['run', '--env', 'TOKEN=app.NODE_OPTIONS', '--secret', 'job.user', ...print];
    expect(await run(...args)).toMatchObject({ code: 0, stdout: 'x::app\n' });
    expect(await run('run', '--env', 'PATH=app.NODE_OPTIONS', '--', 'sh')).toMatchObject({ code: 127 });
    for (const [own, code] of [
      [['--env', 'PLATFORM_URL=app.NODE_OPTIONS'], 1],
      [['--secret', 'app.PLATFORM_URL', '--allow-unsafe-env'], 1],
      [['--secret', 'job.user', '--env', 'user=job.user'], 1],
      [['--env', 'TOKEN=app.none'], 5],
      [['--env', 'TOKEN=app'], 2],
      [['--env', 'a-b=app.NODE_OPTIONS'], 2],
      [[], 2],
    ] as const)
      expect([own, (await run('run', ...own, '--', 'true')).code]).toEqual([own, code]);
  });

  test('are shared, and no longer', async () => {
    await run('set', 'secret', 'mine.a', 'b');
    const share = ['share', 'secret', 'mine', '--user', 'mia', 'zoe', '--verbs', 'get,update'];
    const { stderr } = await run(...share);
    expect(stderr).toContain('Warning: there is no user "zoe"');
    expect(stderr).not.toContain('"mia"');
    await shown(...share, '--allow-unknown');
    expect(await run('unshare', 'secret', 'mine', '--user', 'mia', '--verbs', 'update')).toMatchObject({
      code: 0,
    });
    const access = async (): Promise<unknown> =>
      (JSON.parse(await shown('get', 'secret', 'mine', '-o', 'json')) as { spec: { access: unknown } }).spec
        .access;
    expect(await access()).toEqual([
      { verbs: ['get', 'update'], users: ['zoe'], teams: [] },
      { verbs: ['get'], users: ['mia'], teams: [] },
    ]);
    expect(await run('unshare', 'secret', 'mine', '--user', 'mia', 'zoe')).toMatchObject({ code: 0 });
    expect(await access()).toEqual([]);
    expect(await run('unshare', 'secret', 'mine', '--user', 'mia')).toMatchObject({ code: 5 });
  });
});

test('a support file describes the state, without secrets', async () => {
  await run('set', 'secret', 'planted', '--from-literal', 'pass=PLANTED-VALUE');
  const key = (await shown('create', 'accesskey', 'planted-key', '--ttl', '1h', '--project', 'web')).trim();
  const path = join(cli.home, 'support.json');
  await cli.run(['doctor', '--bundle', path], { env: { HTTPS_PROXY: '', PLATFORM_NOTE: 'PLANTED-VALUE' } });
  const text = readFileSync(path, 'utf8');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const secret of ['PLANTED-VALUE', 'UExBTlRFRC1WQUxVRQ', key, ADMIN_TOKEN, 'planted-key'])
    expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ check: 'login', state: 'ok' })]),
    answers: {
      '/version': { code: 200 },
      '/metrics': { code: 200 },
      '/statusz': { code: 200 },
      '/flagz': { code: 200 },
      '/debug/process': { code: 200 },
      '/debug/caches': { code: 200 },
    },
    objects: { sharedsecrets: expect.any(Number), users: expect.any(Number) },
  });
});

test('access keys without an end or a scope are warned of, and those that are off are shown so', async () => {
  const made = await run('create', 'accesskey', 'wide');
  expect(made.stderr).toMatch(/no end; give it one with --ttl[^]*may do all that its owner may/);
  await run('disable', 'accesskey', 'wide');
  expect(await shown('list', 'accesskeys')).toMatch(/DISABLED\n[^]*wide .* true\n/);
  expect(
    (await run('create', 'accesskey', 'narrow', '--project', 'web', '--ttl', '1h')).stderr,
  ).not.toContain('Warning');
});
