/** `platform` and secrets: how they are created and printed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';

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
      await it.shown('get', 'secret', 'db', '--key', 'user', '--project', 'web', '-o', format),
    );
    expect(ofProject).toMatchObject({ kind: 'ProjectSecret', spec: { data: { user: 'YXBw' } } });
  });

  test('have a name and a JSONPath, too', async () => {
    expect(await it.shown('get', 'secret', 'db.user', '-o', 'name')).toBe('db\n');
    expect(await it.shown('get', 'secret', 'db.user', '-o', 'jsonpath={.spec.data}')).toBe('{"user":"YXBw"}');
    expect(await it.run('get', 'secret', 'db.absent', '-o', 'json')).toMatchObject({ code: 5, stdout: '' });
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

  test.each([
    [['once.password'], 'create secret once password=VALUE'],
    [['once', 'S3CRET'], 'an entry wants KEY=VALUE'],
    [['generic', 'once', '--from-literal', 'a=b'], 'an entry wants KEY=VALUE'],
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
