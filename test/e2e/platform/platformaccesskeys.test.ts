/** `platform` with access keys of others, and with expired keys. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Run } from '../../fixtures/clients/platformcli.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import { eventually } from '../../fixtures/wait.js';

let it: LoggedInCli;
/** Runs `platform` with a key. */
type AsUser = (...args: string[]) => Promise<Run>;
let ada: AsUser;
let ben: AsUser;

async function userWithKey(user: string): Promise<AsUser> {
  await it.shown('create', 'user', user);
  const key = (await it.shown('create', 'accesskey', `${user}-first`, '--user', user, '--ttl', '1h')).trim();
  return (...args) => it.cli.run(args, { env: it.envOf(key) });
}

beforeAll(async () => {
  it = await startLoggedIn();
  ada = await userWithKey('ada');
  ben = await userWithKey('ben');
  await it.shown('create', 'team', 'ops', '--user', 'ada');
});
afterAll(() => it.remove());

describe('an administrator', () => {
  const names = async (...flags: string[]): Promise<string[]> =>
    (await it.shown('list', 'accesskeys', ...flags, '-o', 'name')).trim().split('\n');

  test('lists the keys of a user and of a team', async () => {
    await it.shown('create', 'accesskey', 'ops-first', '--team', 'ops', '--ttl', '1h');
    expect(await names('--user', 'ada')).toEqual(['ada-first']);
    expect(await names('--team', 'ops')).toEqual(['ops-first']);
    expect(await names()).toEqual(expect.arrayContaining(['ada-first', 'ben-first', 'ops-first']));
    expect(await it.shown('list', 'accesskeys', '--user', 'ada')).toMatch(/\nada-first +ada +[^\n]*\n$/);
    expect(await it.run('list', 'accesskeys', '--user', 'nobody')).toMatchObject({
      code: 0,
      stderr: 'Nothing found.\n',
    });
  });

  test('creates, disables, enables, rotates and deletes the key of a user', async () => {
    const keyOf = async (...args: string[]): Promise<string> => (await it.shown(...args)).trim();
    const codeWith = async (key: string): Promise<number | null> =>
      (await it.cli.run(['whoami'], { env: it.envOf(key) })).code;
    const key = await keyOf('create', 'accesskey', 'ada-laptop', '--user', 'ada', '--ttl', '1h');
    expect(await codeWith(key)).toBe(0);
    await it.shown('disable', 'accesskey', 'ada-laptop');
    expect(await codeWith(key)).toBe(3);
    await it.shown('enable', 'accesskey', 'ada-laptop');
    const rotated = await keyOf('rotate', 'accesskey', 'ada-laptop');
    expect([await codeWith(key), await codeWith(rotated)]).toEqual([3, 0]);
    await it.shown('delete', 'accesskey', 'ada-laptop', '--yes');
    expect(await codeWith(rotated)).toBe(3);
  });
});

test('others see and make their own keys alone', async () => {
  expect(await ada('list', 'accesskeys', '-o', 'name')).toMatchObject({ code: 0, stdout: 'ada-first\n' });
  expect(await ben('list', 'accesskeys', '--user', 'ada')).toMatchObject({ code: 0, stdout: '' });
  expect(await ben('create', 'accesskey', 'x', '--user', 'ada', '--ttl', '1h')).toMatchObject({ code: 4 });
  for (const verb of ['disable', 'rotate'])
    expect(await ben(verb, 'accesskey', 'ada-first')).toMatchObject({ code: 4 });
  expect(await ben('delete', 'accesskey', 'ada-first', '--yes')).toMatchObject({ code: 4 });
  expect((await ada('whoami')).code).toBe(0);
});

test('keys that have expired, or are disabled, are listed as such', async () => {
  await it.shown('create', 'accesskey', 'short', '--user', 'ben', '--ttl', '1s');
  await it.shown('create', 'accesskey', 'off', '--user', 'ben', '--ttl', '1h');
  await it.shown('disable', 'accesskey', 'off');
  const listed = await eventually('the key expires', async () => {
    const text = await it.shown('list', 'accesskeys', '--user', 'ben');
    return text.includes('expired') && text;
  });
  const [heading = '', ...rows] = listed.trim().split('\n');
  const cellOf = (name: string, column: string): string => {
    const row = rows.find((line) => line.startsWith(`${name} `)) ?? '';
    return /^\S*( \S+)*/.exec(row.slice(heading.indexOf(column)))?.[0] ?? '';
  };
  expect(cellOf('short', 'EXPIRES')).toBe('expired');
  expect(cellOf('off', 'EXPIRES')).toMatch(/^in \d/);
  expect([cellOf('off', 'DISABLED'), cellOf('ben-first', 'DISABLED')]).toEqual(['true', 'false']);
});

test('a key that has expired is not rotated, enabled or made again', async () => {
  await it.shown('create', 'accesskey', 'dead', '--user', 'ben', '--ttl', '1s');
  await it.shown('disable', 'accesskey', 'dead');
  await eventually('the key expires', async () =>
    /^dead .*expired/m.test(await it.shown('list', 'accesskeys', '--user', 'ben')),
  );
  const said = 'the key has expired: create another';
  expect(await it.run('rotate', 'accesskey', 'dead')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`spec.key: Forbidden: ${said}`),
  });
  expect(await it.run('enable', 'accesskey', 'dead')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`spec.disabled: Forbidden: ${said}`),
  });
  const again = ['create', 'accesskey', 'dead', '--user', 'ben', '--ttl', '1h'];
  expect(await it.run(...again)).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(
      'has expired, and its name is still taken; "platform delete accesskey dead"',
    ),
  });
  await it.shown('delete', 'accesskey', 'dead', '--yes');
  expect(await it.run(...again)).toMatchObject({ code: 0 });
});

test('a rotated key says until when it lives, and its variables make paths of one slash', async () => {
  await it.shown('create', 'accesskey', 'turned', '--user', 'ben', '--ttl', '1h');
  const { stdout, stderr } = await it.run('rotate', 'accesskey', 'turned', '-o', 'env');
  expect(stderr).toMatch(/^It lives until \d{4}-\d\d-\d\dT[\d:.]+Z\.\n$/);
  expect(stdout).toMatch(new RegExp(`^PLATFORM_URL='${it.server.url.replace(/\/$/, '')}'\n`));
});

test('a key is shown in every format, without its value, and edited', async () => {
  const key = (await it.shown('create', 'accesskey', 'seen', '--user', 'ben', '--ttl', '1h')).trim();
  expect(await it.shown('get', 'accesskey', 'seen')).toMatch(/^NAME +DISPLAY NAME +USER .*\nseen +ben /);
  expect(await it.shown('get', 'accesskey', 'seen', '-o', 'name')).toBe('seen\n');
  expect(await it.shown('get', 'accesskey', 'seen', '-o', 'jsonpath={.spec.user} {.spec.ttl}')).toBe(
    'ben 3600',
  );
  expect(await it.json('get', 'accesskey', 'seen')).toMatchObject({
    kind: 'OwnedAccessKey',
    spec: { user: 'ben' },
  });
  const editor = join(it.cli.home, 'editor');
  writeFileSync(editor, `#!/bin/sh\nsed -i 's/^spec:/spec:\\n  displayName: Edited/' "$1"\n`, {
    mode: 0o755,
  });
  const env = { EDITOR: editor, XDG_RUNTIME_DIR: '', TMPDIR: it.cli.home };
  expect(await it.cli.run(['edit', 'accesskey', 'seen'], { env })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Changed accesskey "seen".'),
  });
  const yaml = await it.shown('get', 'accesskey', 'seen', '-o', 'yaml');
  expect(yaml).toContain('displayName: Edited');
  expect(yaml).not.toContain(key);
  expect((await it.cli.run(['whoami'], { env: it.envOf(key) })).code).toBe(0);
});

test('a key for one secret reads it, and nothing else', async () => {
  for (const name of ['one', 'two']) await it.shown('create', 'secret', name, 'a=b');
  const create = ['create', 'accesskey', '--ttl', '1h', '--secret'];
  const env = it.envOf((await it.shown(...create, 'default/one')).trim());
  const run = (...args: string[]) => it.cli.run(args, { env });
  expect(await run('get', 'secret', 'one.a')).toMatchObject({ code: 0, stdout: 'b' });
  for (const args of [
    ['get', 'secret', 'two'],
    ['set', 'secret', 'one.a', 'c'],
    ['delete', 'secret', 'one', '--yes'],
  ])
    expect([args, await run(...args)]).toEqual([
      args,
      expect.objectContaining({ code: 4, stderr: expect.stringContaining('denied by access key scope') }),
    ]);
  for (const name of ['a/b/c', '/one', 'default/', ''])
    expect([name, await it.run(...create, name)]).toEqual([
      name,
      expect.objectContaining({ code: 2, stderr: expect.stringContaining('write it as namespace/name') }),
    ]);
  expect(await it.run(...create, 'web/one')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no secret "one" in namespace "web"'),
  });
});

test('a life that is too long is refused in the words of the flags', async () => {
  const env = it.envOf((await it.shown('create', 'accesskey', '--user', 'ben', '--ttl', '2h')).trim());
  const { code, stderr } = await it.cli.run(['create', 'accesskey', 'long', '--ttl', '25h'], { env });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^platform: --ttl 25h is too long: at most (?:2h|1h59m\d+s); a key does not outlive .*; a key of a project \(--project\) may\n$/m,
  );
  await it.shown('create', 'project', 'brief');
  const ofProject = ['create', 'accesskey', 'ci', '--project', 'brief', '--ttl', '9000d'];
  expect((await it.run(...ofProject)).stderr).toMatch(/^platform: --ttl 9000d is too long: at most \d+d/m);
});

test('the role of a key of a project is taken by its long name, too', async () => {
  await it.shown('create', 'project', 'long');
  const create = ['create', 'accesskey', 'ci', '--project', 'long', '--role', 'management-project-viewer'];
  expect((await it.run(...create)).stderr).toContain('It is viewer in project "long"');
});
