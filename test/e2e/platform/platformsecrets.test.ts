/** `platform` and secrets: how they are printed. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { LoggedInCli } from '../../fixtures/clients/loggedincli.js';
import { startLoggedIn } from '../../fixtures/clients/loggedincli.js';

// Each test starts the program several times.
jest.setTimeout(60_000);

let it: LoggedInCli;
beforeAll(async () => {
  it = await startLoggedIn();
}, 60_000);
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
