/** YAML bodies that are parsed in a separate thread. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

const create = (body: string, query = 'dryRun=All'): Promise<Answer> =>
  fetchFrom(`${server.url}${CONFIGMAPS}?${query}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/yaml' },
  });

/** A config map of `entries` short values, 24 bytes each. */
function manifest(name: string, entries: number, more = ''): string {
  const lines = Array.from(
    { length: entries },
    (_, index) => `  key-${String(index).padStart(6, '0')}: "0123456"`,
  );
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${lines.join('\n')}\n${more}`;
}

describe.each([
  ['small', 10],
  ['large', 2000],
])('%s bodies', (_, entries) => {
  test('are read', async () => {
    const answer = await create(manifest('good', entries));
    expect(answer.status).toBe(201);
    const { data } = JSON.parse(answer.text) as { data: Record<string, string> };
    expect(Object.keys(data)).toHaveLength(entries);
    expect(data['key-000003']).toBe('0123456');
  });

  test('warn of what they have twice and of what is unknown', async () => {
    const line = entries + 6;
    const answer = await create(manifest('twice', entries, `  key-000000: "again"\nextra: 1\n`));
    expect(answer.status).toBe(201);
    expect(answer.headers['warning']).toBe(
      `299 - "line ${line}: key \\"key-000000\\" already set in map", 299 - "unknown field \\"extra\\""`,
    );
    const strict = await create(
      manifest('twice', entries, '  key-000000: "again"\n'),
      'fieldValidation=Strict',
    );
    expect(strict.status).toBe(400);
    expect((JSON.parse(strict.text) as { message: string }).message).toBe(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line ${line}: key "key-000000" already set in map`,
    );
  });

  test.each([
    ['bad indentation', ' bad: [', 'yaml: line '],
    ['unknown anchor', 'x: *nowhere\n', "yaml: unknown anchor 'nowhere' referenced"],
    ['too deep', `x: ${'['.repeat(500)}${']'.repeat(500)}\n`, 'yaml: exceeded max depth'],
  ])('are refused: %s', async (_name, more, text) => {
    const answer = await create(manifest('bad', entries, more));
    expect(answer.status).toBe(400);
    expect((JSON.parse(answer.text) as { message: string }).message).toContain(
      `the object provided is unrecognized (must be of type ConfigMap): ${text}`,
    );
  });
});

test('flow collections need no indent', async () => {
  const answer = await create(
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {\nname: flow\n}\ndata: {\n"a":\n"b",\n}\n',
  );
  expect(answer.status).toBe(201);
  expect((JSON.parse(answer.text) as { data: object }).data).toEqual({ a: 'b' });
});

test('aliases do not stand for more text than a body may have', async () => {
  const aliases = Array.from({ length: 4000 }, (_, index) => `  a${index}: *long`).join('\n');
  const body = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: bomb\ndata:\n  a: &long "${'x'.repeat(2000)}"\n${aliases}\n`;
  const answer = await create(body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('excessive aliasing');
});

test('other requests are answered while a body of a megabyte is read', async () => {
  let read = false;
  const large = create(manifest('largest', 30_000)).then((answer) => {
    read = true;
    return answer;
  });
  const before: boolean[] = [];
  for (let i = 0; i < 10; i++) {
    before.push((await fetchFrom(`${server.url}${CONFIGMAPS}`)).status === 200 && !read);
  }
  expect(before).toEqual(before.map(() => true));
  expect((await large).status).toBe(201);
});
