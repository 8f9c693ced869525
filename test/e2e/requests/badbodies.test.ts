/** For any request body, the response is a Status, and never a 500, and the server keeps running. */
import { describe, expect, test } from '@jest/globals';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { CONFIGMAPS, SECRETS, expectStatus, robustServerSuite } from '../../fixtures/servers/robustserver.js';

const MAX_BYTES = 3 * 1024 * 1024;
const MAX_DEPTH = 400;

const sturdy = robustServerSuite();
const { send } = sturdy;

const nested = (open: string, close: string, depth: number): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"x":${open.repeat(depth)}1${close.repeat(depth)}}`;

/** Each level is ten times as large as the one before. */
function bomb(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < levels; i++) {
    lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`);
  }
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\n${lines.join('\n')}\n`;
}

describe('bodies', () => {
  test.each([
    ['nothing', ''],
    ['half an object', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"na'],
    ['no JSON', 'hello'],
    ['an array', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['two documents', '{}{}'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['a null byte', '\u0000'],
    ['metadata of the wrong type', '{"apiVersion":"v1","kind":"ConfigMap","metadata":[]}'],
    ['an unknown kind', '{"apiVersion":"v9","kind":"Nothing","metadata":{"name":"a"}}'],
    [
      'a number that no double holds',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","generation":1e999}}',
    ],
    ['a prototype', '{"__proto__":{"kind":"ConfigMap"},"constructor":{"prototype":{}}}'],
    ['objects 5000 deep', nested('{"a":', '}', 5_000)],
    ['arrays 100000 deep', nested('[', ']', 100_000)],
  ])('JSON: %s', async (_name, body) => {
    for (const path of [CONFIGMAPS, SECRETS]) expectStatus(await send('POST', path, body), 400, 422);
    expectStatus(await send('PUT', `${CONFIGMAPS}/there`, body), 400, 422);
  });

  test.each([
    ['an open flow', 'apiVersion: v1\nkind: {ConfigMap\n'],
    ['a tab', 'apiVersion: v1\n\tkind: ConfigMap\n'],
    ['an unknown alias', 'apiVersion: v1\nkind: *nothing\n'],
    ['a list', '- a\n- b\n'],
    ['a tag', 'apiVersion: v1\nkind: !!js/function "x"\n'],
    ['an alias bomb of ten levels', bomb(10)],
    ['an alias bomb of forty levels', bomb(40)],
    ['flows 5000 deep', `a: ${'['.repeat(5_000)}`],
    ['an alias of itself', 'apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: a, labels: *m}\n'],
  ])('YAML: %s', async (_name, body) => {
    for (const path of [CONFIGMAPS, SECRETS]) {
      expectStatus(await send('POST', path, body, 'application/yaml'), 400, 413, 422);
    }
  });

  test.each([
    ['application/json', '{"a":', '}'],
    ['application/json', '[', ']'],
    ['application/yaml', '{"a":', '}'],
    ['application/yaml', '[', ']'],
  ])(
    'of type %s may nest %s… 400 deep, the whole object counted, and no deeper',
    async (type, open, close) => {
      const path = `${CONFIGMAPS}?dryRun=All&fieldValidation=Ignore`;
      expect(await send('POST', path, nested(open, close, MAX_DEPTH - 1), type)).toMatchObject({
        status: 201,
      });
      const refused = expectStatus(await send('POST', path, nested(open, close, MAX_DEPTH), type), 400);
      expect(refused.message).toContain('exceeded max depth');
    },
  );

  test('a merge patch may nest 400 deep, and no deeper', async () => {
    const type = 'application/merge-patch+json';
    const path = `${CONFIGMAPS}/there?dryRun=All&fieldValidation=Ignore`;
    const patch = (depth: number): string => '{"x":'.repeat(depth) + '1' + '}'.repeat(depth);
    expect(await send('PATCH', path, patch(MAX_DEPTH), type)).toMatchObject({ status: 200 });
    expectStatus(await send('PATCH', path, patch(MAX_DEPTH + 1), type), 400);
  });

  test.each(['text/plain', 'application/xml', 'multipart/form-data', 'garbage', 'application/json/x', ';;;'])(
    'of type %s are refused',
    async (contentType) => {
      const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"typed"}}';
      expectStatus(await send('POST', CONFIGMAPS, body, contentType), 415);
      expectStatus(await send('POST', SECRETS, body, contentType), 415);
      expectStatus(await send('PATCH', `${CONFIGMAPS}/there`, '{}', contentType), 415);
    },
  );

  test('past 3 MiB are 413, in one piece or in many', async () => {
    const big = Buffer.alloc(MAX_BYTES + 1, 0x78);
    expectStatus(await send('POST', CONFIGMAPS, big), 413);
    expectStatus(await send('PUT', `${CONFIGMAPS}/there`, big, 'application/yaml'), 413);
    expectStatus(await send('PATCH', `${CONFIGMAPS}/there`, big, 'application/merge-patch+json'), 413);
    const chunked = await fetchFrom(`${sturdy.server.url}${CONFIGMAPS}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body: big,
    });
    expectStatus(chunked, 413);
    const value = 'x'.repeat(2 * 1024 * 1024);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data: { value } };
    expectStatus(await send('POST', CONFIGMAPS, JSON.stringify(object)), 413, 422);
  });

  test.each([
    ['application/json-patch+json', '{}'],
    ['application/json-patch+json', '[{"op":"nope","path":"/a"}]'],
    ['application/json-patch+json', '[{"op":"remove","path":"/nothing/here"}]'],
    ['application/json-patch+json', '[{"op":"add","path":"/data/99999999999999999999","value":1}]'],
    ['application/json-patch+json', '[{"op":"replace","path":"","value":1}]'],
    ['application/json-patch+json', '[{"op":"test","path":"/metadata/name","value":"other"}]'],
    ['application/json-patch+json', '[{"op":"copy","from":"/__proto__/x","path":"/data"}]'],
    ['application/json-patch+json', `[${'{"op":"copy","from":"","path":"/data/a"},'.repeat(40)}{}]`],
    ['application/merge-patch+json', '[]'],
    ['application/merge-patch+json', '{"metadata":1}'],
    ['application/merge-patch+json', '{"data":{"a":{"b":1}}}'],
    ['application/merge-patch+json', `{"x":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`],
  ])('patch %s: %s', async (contentType, body) => {
    expectStatus(await send('PATCH', `${CONFIGMAPS}/there`, body, contentType), 400, 413, 422);
  });

  test.each([
    '[]',
    '{"kind":"Nope"}',
    '{"gracePeriodSeconds":"x"}',
    '{"propagationPolicy":"Nope"}',
    '{"preco',
  ])('DeleteOptions: %s', async (body) => {
    expectStatus(await send('DELETE', `${CONFIGMAPS}/there`, body), 400, 422);
    expectStatus(await send('DELETE', CONFIGMAPS, body), 400, 422);
  });
});

test('a grace period of any int64 is understood', async () => {
  const body = '{"gracePeriodSeconds":9223372036854775807}';
  expectStatus(await send('DELETE', `${CONFIGMAPS}/none`, body), 404);
  expectStatus(await send('DELETE', `${CONFIGMAPS}/none`, '{"gracePeriodSeconds":1e19}'), 400);
});
