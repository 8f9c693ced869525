/** `platform` and secrets whose names have dots, as the console and kubectl make them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { startLoggedIn, type LoggedInCli } from '../../fixtures/clients/loggedincli.js';

const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
let it: LoggedInCli;
beforeAll(async () => {
  it = await startLoggedIn();
});
afterAll(() => it.remove());

async function make(name: string, data: Readonly<Record<string, string>>): Promise<void> {
  const api = client(it.server);
  await api.send('DELETE', `${SECRETS}/${name}`);
  const values = Object.entries(data).map(([entry, value]) => [entry, base64(value)]);
  const spec = { data: Object.fromEntries(values) };
  const body = { apiVersion: 'management.svc.example/v1', kind: 'SharedSecret', metadata: { name }, spec };
  expect((await api.send('POST', SECRETS, body)).status).toBe(201);
}

const names = async (): Promise<string[]> =>
  (await it.shown('list', 'secrets', '-o', 'name')).trim().split('\n');

describe('beside a secret with another entry', () => {
  beforeEach(async () => {
    await make('pay', { user: 'app' });
    await make('pay.token', { token: 'whole', other: 'x' });
  });

  test('the whole name is read', async () => {
    expect(await it.shown('get', 'secret', 'pay.token', '-n', 'default')).toMatch(
      /^ENTRY +VALUE\nother +x\ntoken +whole\n/,
    );
    expect(await it.shown('get', 'secret', 'pay.token', '--entry', 'token')).toBe('whole');
    expect(await it.shown('get', 'secret', 'pay.user')).toBe('app');
    expect(await it.shown('run', '--secret', 'pay.token', '--', 'sh', '-c', 'printf "$token"')).toBe('whole');
  });

  test('the whole name is deleted, and an entry of it by --entry', async () => {
    expect(await it.run('delete', 'secret', 'pay.token', '--entry', 'token', '--yes')).toMatchObject({
      code: 0,
      stderr: 'Deleted entry "token" of secret "pay.token".\n',
    });
    expect(await it.run('delete', 'secret', 'pay.token', '--yes')).toMatchObject({
      code: 0,
      stderr: 'Deleted secret "pay.token".\n',
    });
    expect(await names()).toEqual(['pay']);
    expect(await it.run('delete', 'secret', 'pay.token', '--yes')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('secret "pay" has no entry "token"'),
    });
  });

  test('one value wants --entry, and several are those of the whole name', async () => {
    expect(await it.run('set', 'secret', 'pay.token', 'new')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '"platform set secret pay.token --entry ENTRY" or "platform set secret pay --entry token"',
      ),
    });
    await it.shown('set', 'secret', 'pay.token', 'new', '--entry', 'token');
    expect(await it.shown('get', 'secret', 'pay.token', '--entry', 'token')).toBe('new');
    await it.shown('set', 'secret', 'pay.token', '--from-literal', 'token=several');
    expect(await it.shown('get', 'secret', 'pay.token', '--entry', 'token')).toBe('several');
    expect(await it.shown('get', 'secret', 'pay', '-o', 'jsonpath={.spec.data}')).toBe(
      `{"user":"${base64('app')}"}`,
    );
  });
});

describe('beside a secret with that entry', () => {
  beforeEach(async () => {
    await make('pay', { token: 'entry' });
    await make('pay.token', { token: 'whole' });
  });

  test.each(['get', 'delete'])('%s does nothing, and shows both commands', async (verb) => {
    const yes = verb === 'get' ? [] : ['--yes'];
    expect(await it.run(verb, 'secret', 'pay.token', '-n', 'default', ...yes)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        `write "platform ${verb} secret pay.token --whole --namespace default" or "platform ${verb} secret pay --entry token --namespace default"`,
      ),
    });
    expect(await names()).toEqual(['pay', 'pay.token']);
    const whole = await it.run(verb, 'secret', 'pay.token', '--whole', ...yes);
    const entry = await it.run(verb, 'secret', 'pay', '--entry', 'token', ...yes);
    expect([whole.code, entry.code]).toEqual([0, 0]);
    if (verb === 'get')
      expect([whole.stdout, entry.stdout]).toEqual([expect.stringContaining('whole'), 'entry']);
    else expect(await names()).toEqual(['pay']);
  });

  test('run shows how to name either', async () => {
    const print = ['--', 'sh', '-c', 'printf "$token$V"'];
    expect(await it.run('run', '--secret', 'pay.token', ...print)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '"platform run --secret pay.token --whole -- COMMAND" or "platform run --env VARIABLE=pay.token -- COMMAND"',
      ),
    });
    expect(await it.shown('run', '--secret', 'pay.token', '--whole', ...print)).toBe('whole');
    expect(await it.shown('run', '--env', 'V=pay.token', ...print)).toBe('entry');
  });

  test('set with several entries wants --whole', async () => {
    const several = ['set', 'secret', 'pay.token', '--from-literal', 'token=x'];
    expect(await it.run(...several)).toMatchObject({ code: 2, stderr: expect.stringContaining('--whole') });
    expect((await it.run(...several, '--whole')).code).toBe(0);
  });
});

test('set with several entries makes no secret with a dot in its name, as create does not', async () => {
  for (const [args, why] of [
    [
      ['set', 'secret', 'fresh.token', '--from-literal', 'token=S3CRET'],
      'set secret fresh --from-literal token=VALUE',
    ],
    [['create', 'secret', 'fresh.token', 'token=S3CRET'], 'create secret fresh token=VALUE'],
  ] as const) {
    const refused = await it.run(...args);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    expect(refused.stderr).not.toContain('S3CRET');
  }
  expect(await names()).not.toContain('fresh.token');
});

test('who may read the one secret alone reads its entries by NAME.ENTRY', async () => {
  await make('alone', { token: 'entry' });
  const made = await it.shown('create', 'accesskey', '--ttl', '1h', '--secret', 'default/alone');
  const env = it.envOf(made.trim());
  expect(await it.cli.run(['get', 'secret', 'alone.token'], { env })).toMatchObject({
    code: 0,
    stdout: 'entry',
  });
});

test('--entry and --whole exclude each other', async () => {
  expect(await it.run('get', 'secret', 'a.b', '--entry', 'c', '--whole')).toMatchObject({ code: 2 });
});

test('a person with get, update and patch sets an entry of a shared secret', async () => {
  await it.shown('create', 'user', 'pat');
  await make('team', { token: 'old' });
  await it.shown('share', 'secret', 'team', '--user', 'pat', '--verbs', 'get,update,patch');
  const env = it.envOf((await it.shown('create', 'accesskey', '--user', 'pat', '--ttl', '1h')).trim());
  expect((await it.cli.run(['set', 'secret', 'team.token', 'new', '--yes'], { env })).code).toBe(0);
  expect(await it.shown('get', 'secret', 'team.token')).toBe('new');
});
