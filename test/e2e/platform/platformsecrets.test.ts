/** `platform` and secrets: how they are created and printed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
let it: LoggedInCli;
beforeAll(async () => {
  it = await startLoggedIn();
});
afterAll(() => it.remove());

describe('a secret, and one entry of it', () => {
  beforeAll(async () => {
    await it.shown('create', 'project', 'web');
    await it.shown('set', 'secret', 'db', '--from-literal', 'user=app', '--from-literal', 'a.b=c');
    await it.shown(
      'set',
      'secret',
      'db',
      '--from-literal',
      'user=app',
      '--from-literal',
      'a.b=c',
      '--project',
      'web',
    );
    await it.cli.run(['set', 'secret', 'db.blob'], { input: Buffer.from([0, 255]) });
  });

  test.each(['json', 'yaml'])('have one shape with -o %s', async (format) => {
    const { parse } = await import('yaml');
    const whole = parse(await it.shown('get', 'secret', 'db', '-o', format)) as { spec: object };
    expect(whole).toMatchObject({
      kind: 'SharedSecret',
      metadata: { name: 'db' },
      spec: { data: { user: 'YXBw', 'a.b': 'Yw==', blob: 'AP8=' } },
    });
    for (const [key, value] of [
      ['user', 'YXBw'],
      ['a.b', 'Yw=='],
      ['blob', 'AP8='],
    ] as const) {
      const entry: unknown = parse(await it.shown('get', 'secret', `db.${key}`, '-o', format));
      expect(entry).toEqual({ ...whole, spec: { ...whole.spec, data: { [key]: value } } });
    }
    const ofProject: unknown = parse(
      await it.shown('get', 'secret', 'db', '--entry', 'user', '--project', 'web', '-o', format),
    );
    expect(ofProject).toMatchObject({ kind: 'ProjectSecret', spec: { data: { user: 'YXBw' } } });
  });

  test('are listed by a JSONPath, and nothing of them shows managedFields', async () => {
    const template = 'jsonpath={range .items[*]}{.metadata.name}={.spec.data.user};{end}';
    expect(await it.shown('list', 'secrets', '-o', template)).toBe('db=YXBw;');
    expect(await it.shown('list', 'secrets', '-o', 'jsonpath={.items[*].metadata.name}')).toBe('db');
    expect(await it.shown('list', 'secrets', '-n', 'none', '-o', template)).toBe('');
    expect(await it.shown('list', 'quotas', '--project', 'web', '-o', 'jsonpath={.items[*].name}')).toBe('');
    for (const format of ['jsonpath={range .items[*]}', 'jsonpath={.items[?(@.a)]}'])
      expect(await it.run('list', 'secrets', '-o', format)).toMatchObject({ code: 2, stdout: '' });
    expect(await it.run('list', 'secrets', '--watch', '-o', template)).toMatchObject({ code: 2 });
    for (const format of ['json', 'yaml'])
      for (const command of [
        ['get', 'secret', 'db'],
        ['list', 'secrets'],
        ['get', 'project', 'web'],
        ['create', 'user', `of-${format}`],
      ])
        expect(await it.shown(...command, '-o', format)).not.toContain('managedFields');
    const fields = await it.shown(
      'get',
      'secret',
      'db',
      '-o',
      'jsonpath={.metadata.managedFields[*].manager}',
    );
    expect(fields).toContain('platform');
  });

  test('of both kinds are in one list of everything', async () => {
    expect(await it.shown('list', 'secrets', '-A')).toMatch(
      /^PLACE +NAME .*\nnamespace default +db .*\nproject web +db .*\n$/,
    );
    expect(await it.shown('list', 'secrets', '-A', '-o', 'name')).toBe('db\ndb\n');
    expect(await it.json('list', 'secrets', '-A')).toMatchObject({
      kind: 'List',
      items: [{ kind: 'SharedSecret' }, { kind: 'ProjectSecret' }],
    });
    expect(await it.json('list', 'secrets')).toMatchObject({ kind: 'SharedSecretList' });
    expect((await it.run('list', 'secrets', '-A', '-l', 'a=b')).stderr).toBe('Nothing found.\n');
    // A key that may list one of them sees these, and is told why it sees no others.
    const key = ['create', 'accesskey', '--ttl', '1h', '--secret', 'default/db'];
    const env = it.envOf((await it.shown(...key)).trim());
    const some = await it.cli.run(['list', 'secrets', '-A'], { env });
    expect(some).toMatchObject({ code: 0, stdout: expect.stringMatching(/ db /) });
    expect(some.stderr).toMatch(
      /^Warning: "admin" may not list secrets of all projects: denied by access key scope\n$/,
    );
    const none = { PLATFORM_URL: it.server.url, PLATFORM_ACCESS_KEY: 'mk_no' };
    expect(await it.cli.run(['list', 'secrets', '-A'], { env: { ...env, ...none } })).toMatchObject({
      code: 3,
    });
  });

  test('have a name and a JSONPath, too', async () => {
    expect(await it.shown('get', 'secret', 'db.user', '-o', 'name')).toBe('db\n');
    expect(await it.shown('get', 'secret', 'db.user', '-o', 'jsonpath={.spec.data}')).toBe('{"user":"YXBw"}');
    expect(await it.run('get', 'secret', 'db.absent', '-o', 'json')).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('a value that is set', () => {
  const OF_WEB = ['--project', 'web'];
  const value = (name: string): Promise<string> => it.shown('get', 'secret', name, ...OF_WEB);

  test.each([
    ['an empty pipe', ['kept.value'], ''],
    ['a pipe with a newline alone', ['kept.value'], '\n'],
    ['an empty file', ['kept.value', '--file', '/dev/null'], undefined],
    [
      'an empty file among others',
      ['kept', '--from-literal', 'a=b', '--from-file', 'value=/dev/null'],
      undefined,
    ],
    ['an empty argument', ['kept.value', ''], undefined],
  ])('is not %s, unless --allow-empty says so', async (_what, args, input = '') => {
    await it.shown('set', 'secret', 'kept.value', 'precious', ...OF_WEB);
    const set = ['set', 'secret', ...args, ...OF_WEB];
    expect(await it.cli.run(set, { input })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the value of "value" is empty: say --allow-empty'),
    });
    expect(await value('kept.value')).toBe('precious');
    expect(await it.cli.run([...set, '--allow-empty'], { input })).toMatchObject({ code: 0 });
    expect(await value('kept.value')).toBe('');
  });

  test('replaces that of somebody else only with --yes, and that of an owner without', async () => {
    await it.shown('create', 'user', 'mia');
    await it.shown('create', 'team', 'ops', '--user', 'mia');
    await it.shown('add', 'member', 'mia', ...OF_WEB, '--role', 'admin');
    const key = ['create', 'accesskey', '--user', 'mia', '--ttl', '1h'];
    const mia = it.envOf((await it.shown(...key)).trim());
    await it.shown('set', 'secret', 'admins.value', 'old', ...OF_WEB);
    const set = (name: string, text: string, ...more: string[]) =>
      it.cli.run(['set', 'secret', `${name}.value`, text, ...OF_WEB, ...more], { env: mia });
    expect(await set('admins', 'new')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"value" of secret "admins", which belongs to user "admin"'),
    });
    expect(await value('admins.value')).toBe('old');
    expect((await set('admins', 'old')).code).toBe(0);
    expect((await set('admins', 'new', '--yes')).code).toBe(0);
    expect(await value('admins.value')).toBe('new');
    await it.shown('create', 'secret', 'readable', 'value=old');
    await it.shown('share', 'secret', 'readable', '--user', 'mia');
    const readable = ['set', 'secret', 'readable.value', 'new'];
    expect(await it.cli.run(readable, { env: mia })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(
        'may not patch secret "readable" in namespace "default"; ask an administrator, or whoever "platform who-can patch secret readable --namespace default" shows',
      ),
    });
    for (const text of ['one', 'two']) expect((await set('mias', text)).code).toBe(0);
    const path = '/apis/management.svc.example/v1/namespaces/loft-p-web/projectsecrets/mias';
    const owner = { user: null, team: 'ops' };
    expect((await client(it.server).send('PATCH', path, { spec: { owner } }, MERGE)).status).toBe(200);
    expect((await set('mias', 'three')).code).toBe(0);
    await it.shown('set', 'secret', 'mias.value', 'four', '--yes', ...OF_WEB);
    expect(await value('mias.value')).toBe('four');
    expect(await it.run('set', 'secret', 'mias.value', 'five', ...OF_WEB)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('which belongs to team "ops"'),
    });
  });
});

describe('a file of variables', () => {
  const OF_WEB = ['--project', 'web'];
  const keys = async (): Promise<readonly string[] | null> =>
    (await it.shown('get', 'secret', 'synced', '-o', 'env', ...OF_WEB)).match(/^\w+(?==)/gm);
  const set = (text: string, ...more: string[]) => {
    const file = join(it.cli.home, 'synced.env');
    writeFileSync(file, text);
    return it.run('set', 'secret', 'synced', '--from-env-file', file, ...OF_WEB, ...more);
  };

  test('leaves other entries and says so; --prune removes them, and asks for --yes', async () => {
    expect(await set('A=1\nB=2\nC=\n', '--prune')).toMatchObject({
      code: 0,
      stderr: 'Secret "synced": 3 entries are set, 0 removed.\n',
    });
    expect(await set('A=2\n')).toMatchObject({
      code: 0,
      stderr: 'Secret "synced": entry "A" is set. 2 more stay; --prune would remove them.\n',
    });
    expect(await set('A=3\nD=4\n', '--prune')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('say --yes to remove "B", "C" of secret "synced"'),
    });
    expect(await keys()).toEqual(['A', 'B', 'C']);
    expect(await it.shown('get', 'secret', 'synced.A', ...OF_WEB)).toBe('2');
    expect(await set('A=3\nD=4\n', '--prune', '--yes')).toMatchObject({
      code: 0,
      stderr: 'Secret "synced": 2 entries are set, 2 removed.\n',
    });
    expect(await keys()).toEqual(['A', 'D']);
    expect((await set('D=5\nA=3\n', '--prune')).code).toBe(0);
  });

  test('prunes what others write meanwhile, too', async () => {
    const writes = Array.from({ length: 4 }, (_, at) =>
      it.run('set', 'secret', `synced.other${at}`, 'x', ...OF_WEB),
    );
    const ended = await Promise.all([...writes, set('A=1\n', '--prune', '--yes')]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    expect((await set('A=1\n', '--prune', '--yes')).code).toBe(0);
    expect(await keys()).toEqual(['A']);
  });

  test.each([
    ['', [], 'has no line NAME=value'],
    ['# S3CRET\n', ['--prune', '--yes'], 'has no line NAME=value'],
    ['A=S3CRET #b\n', [], 'line 1: what is after # may be a comment'],
  ])('%j %j is refused, and nothing changed', async (text, more, why) => {
    const refused = await set(text, ...more);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    expect(refused.stderr).not.toContain('S3CRET');
    expect(await keys()).toEqual(['A']);
  });

  test('warns of variables, by their line', async () => {
    expect((await set('A=1\nURL=http://${HOST}/\n')).stderr).toMatch(/^Warning: .*line 2: .*not expanded\n/);
    expect(await it.shown('get', 'secret', 'synced.URL', ...OF_WEB)).toBe('http://${HOST}/');
  });

  test('one value and --prune exclude each other', async () => {
    expect(await it.run('set', 'secret', 'synced.A', 'x', '--prune', ...OF_WEB)).toMatchObject({ code: 2 });
  });
});

describe('a secret is created', () => {
  test('with entries of arguments and files', async () => {
    const file = join(it.cli.home, 'ca.crt');
    const env = join(it.cli.home, '.env');
    writeFileSync(file, 'PEM\n');
    writeFileSync(env, 'A=1\n');
    const made = await it.run(
      'create',
      'secret',
      'new',
      'user=app',
      'pass=a=b',
      '--from-file',
      `ca=${file}`,
      '--env-file',
      env,
      '--display-name',
      'New one',
      '--description',
      'Made by a test',
    );
    expect(made).toMatchObject({ code: 0, stdout: '', stderr: 'Created secret "new" with 4 entries.\n' });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    expect(await it.json('get', 'secret', 'new')).toMatchObject({
      spec: {
        displayName: 'New one',
        description: 'Made by a test',
        data: { user: base64('app'), pass: base64('a=b'), ca: base64('PEM\n'), A: base64('1') },
      },
    });
  });

  test('in a project, and without entries', async () => {
    expect(await it.json('create', 'secret', 'empty', '--project', 'web')).toMatchObject({
      kind: 'ProjectSecret',
      metadata: { name: 'empty' },
    });
    expect(await it.shown('create', 'secret', 'bare', '-o', 'name')).toBe('bare\n');
  });

  test('once: one that exists stays as it is', async () => {
    await it.shown('create', 'secret', 'once', 'a=1');
    expect(await it.run('create', 'secret', 'once', 'a=2')).toMatchObject({ code: 6, stdout: '' });
    expect(await it.shown('get', 'secret', 'once.a')).toBe('1');
  });

  test('an empty value wants --allow-empty', async () => {
    const create = ['create', 'secret', 'hollow', 'token='];
    expect(await it.run(...create)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the value of "token" is empty: say --allow-empty'),
    });
    expect((await it.run(...create, '--allow-empty')).code).toBe(0);
    expect(await it.shown('get', 'secret', 'hollow.token')).toBe('');
  });

  test.each([
    [['once.password'], 'create secret once password=VALUE'],
    [['once', 'S3CRET'], 'an entry wants ENTRY=VALUE'],
    [['generic', 'once', '--from-literal', 'a=b'], 'an entry wants ENTRY=VALUE'],
  ])('%j is refused, and no value repeated', async (args, why) => {
    const refused = await it.run('create', 'secret', ...args);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    expect(refused.stderr).toContain('see "platform create secret --help"');
    expect(refused.stderr).not.toContain('S3CRET');
  });
});

test('a secret is edited', async () => {
  await it.shown('create', 'secret', 'edited', 'a=1', '--display-name', 'Before');
  const editor = join(it.cli.home, 'editor');
  writeFileSync(editor, `#!/bin/sh\nsed -i 's/Before/After/; s/a: MQ==/b: Mg==/' "$1"\n`, { mode: 0o755 });
  const env = { EDITOR: editor, XDG_RUNTIME_DIR: '', TMPDIR: it.cli.home };
  expect(await it.cli.run(['edit', 'secret', 'edited'], { env })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'Changed secret "edited".\n',
  });
  expect(await it.json('get', 'secret', 'edited')).toMatchObject({
    spec: { displayName: 'After', data: { b: 'Mg==' } },
  });
  expect(await it.run('get', 'secret', 'edited.a')).toMatchObject({ code: 5 });
});
