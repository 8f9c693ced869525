/** fieldValidation with every verb that writes, limits of JSON patches, and dry runs of deletes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
  const object = { metadata: { name: 'a' }, data: { k: '1' } };
  expect((await send('POST', CONFIGMAPS, JSON.stringify(object), 'application/json')).status).toBe(201);
});
afterAll(() => server.remove());

const send = (method: string, path: string, body: string, contentType: string): Promise<Answer> =>
  fetchFrom(`${server.url}${path}`, { method, body, headers: { 'content-type': contentType } });
const patch = (query: string, body: string, contentType: string): Promise<Answer> =>
  send('PATCH', `${CONFIGMAPS}/a?${query}`, body, contentType);
const messageOf = ({ text }: Answer): string => (JSON.parse(text) as { message: string }).message;

const TWICE = 'duplicate field \\"data.k\\"';
const UNKNOWN = 'unknown field \\"extra\\"';

describe.each([
  [MERGE_PATCH, '{"extra":1,"data":{"k":"1","k":"2"}}', [TWICE, UNKNOWN]],
  [STRATEGIC, '{"extra":1,"data":{"k":"1","k":"2"}}', [TWICE, UNKNOWN]],
  [
    JSON_PATCH,
    '[{"op":"add","path":"/extra","value":1,"foo":2,"op":"add"}]',
    ['json patch unknown field \\"[0].foo\\"', 'json patch duplicate field \\"[0].op\\"', UNKNOWN],
  ],
])('%s', (contentType, body, findings) => {
  test('Warn gives a warning for each finding', async () => {
    const answer = await patch('dryRun=All', body, contentType);
    expect(answer.status).toBe(200);
    expect(answer.headers['warning']).toBe(findings.map((finding) => `299 - "${finding}"`).join(', '));
  });
  test('Strict refuses with all of them', async () => {
    const answer = await patch('fieldValidation=Strict', body, contentType);
    expect(answer.status).toBe(422);
    expect(messageOf(answer)).toContain(
      `strict decoding error: ${findings.join(', ').replaceAll('\\"', '"')}`,
    );
  });
  test('Ignore says nothing', async () => {
    const answer = await patch('dryRun=All&fieldValidation=Ignore', body, contentType);
    expect([answer.status, answer.headers['warning']]).toEqual([200, undefined]);
  });
  test('a patch of an absent object is 404, whatever the patch says', async () => {
    expect((await send('PATCH', `${CONFIGMAPS}/missing`, '{', contentType)).status).toBe(404);
  });
});

test('findings end at a hundred; many warnings are cut to 4096 characters', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 150 }, (_, i) => [`unknown-${'x'.repeat(60)}-${i}`, 1]),
  );
  const body = JSON.stringify({ metadata: { name: 'many' }, ...many });
  const strict = await send('POST', `${CONFIGMAPS}?fieldValidation=Strict`, body, 'application/json');
  expect(messageOf(strict).match(/unknown field/g)).toHaveLength(100);
  const warned = await send('POST', `${CONFIGMAPS}?dryRun=All`, body, 'application/json');
  expect(warned.status).toBe(201);
  const warnings = warned.headers['warning']?.toString().match(/299 - /g) ?? [];
  expect(warnings.length).toBeGreaterThan(40);
  expect(warnings.length).toBeLessThan(60);
});

test('a JSON patch has at most 10,000 operations and may copy at most 3 MiB', async () => {
  const operation = '{"op":"test","path":"/data/k","value":"1"}';
  const operations = (count: number): string =>
    `[${Array.from({ length: count }, () => operation).join(',')}]`;
  expect((await patch('dryRun=All', operations(10_000), JSON_PATCH)).status).toBe(200);
  const refused = await patch('dryRun=All', operations(10_001), JSON_PATCH);
  expect([refused.status, messageOf(refused)]).toEqual([
    413,
    'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  ]);
  const add = { op: 'add', path: '/data/big', value: 'x'.repeat(100_000) };
  const copies = Array.from({ length: 40 }, (_, i) => ({
    op: 'copy',
    from: '/data/big',
    path: `/data/c${i}`,
  }));
  expect((await patch('', JSON.stringify([add, ...copies]), JSON_PATCH)).status).toBe(422);
});

test('a dry run of a delete changes nothing; a body of options beats the query', async () => {
  const dry = await fetchFrom(`${server.url}${CONFIGMAPS}/a?dryRun=All`, { method: 'DELETE' });
  expect(dry.status).toBe(200);
  const options = '{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}';
  const body = await send('DELETE', `${CONFIGMAPS}/a?dryRun=x`, options, 'application/json');
  expect(body.status).toBe(200);
  expect((await fetchFrom(`${server.url}${CONFIGMAPS}/a`)).status).toBe(200);
});
