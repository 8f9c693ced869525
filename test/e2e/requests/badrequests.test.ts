/** For any path, query and headers, the response is a Status (or the documented text), and never a 500. */
import { describe, expect, test } from '@jest/globals';
import { ADMIN_TOKEN, VIEWER_TOKEN, fetchFrom } from '../../fixtures/servers/server.js';
import { CONFIGMAPS, SECRETS, expectStatus, robustServerSuite } from '../../fixtures/servers/robustserver.js';

const sturdy = robustServerSuite();
const { send } = sturdy;

describe('queries', () => {
  const forged = (value: unknown): string =>
    encodeURIComponent(Buffer.from(JSON.stringify(value)).toString('base64url'));

  test.each([
    'labelSelector=%21%21',
    'labelSelector=a%20in%20%28',
    'labelSelector=a%3D%3D%3Db',
    `labelSelector=${'a'.repeat(5_000)}`,
    'fieldSelector=data.a%3D1',
    'fieldSelector=metadata.name%3D%5C',
    'limit=abc',
    'limit=1e3',
    'limit=99999999999999999999',
    'continue=%00',
    'continue=abc',
    `continue=${'A'.repeat(4_000)}`,
    'resourceVersion=-1',
    'resourceVersion=abc',
    'resourceVersion=99999999999999999999',
    'resourceVersionMatch=Nope&resourceVersion=1',
    'timeoutSeconds=x',
    'timeout=soon',
    'watch=1&resourceVersion=abc',
    'watch=1&labelSelector=%28',
    'watch=1&timeoutSeconds=1e99',
  ])('%s is refused', async (query) => {
    for (const path of [CONFIGMAPS, SECRETS]) expectStatus(await send('GET', `${path}?${query}`), 400, 422);
  });

  test.each([
    ['of another version', forged({ v: 'v9', rv: 1, start: 'a' })],
    ['without a start', forged({ v: 'meta.k8s.io/v1', rv: 1 })],
    ['that leaves its range', forged({ v: 'meta.k8s.io/v1', rv: 1, start: '../../../x' })],
    ['of a revision that is no number', forged({ v: 'meta.k8s.io/v1', rv: {}, start: 'a' })],
    ['that is a list', forged([1, 2])],
  ])('a continue token %s', async (_name, token) => {
    expectStatus(await send('GET', `${CONFIGMAPS}?limit=1&continue=${token}`), 400, 410);
  });

  test('a continue token of the future is told to wait', async () => {
    const token = forged({ v: 'meta.k8s.io/v1', rv: 9_000_000_000_000, start: 'a' });
    expectStatus(await send('GET', `${CONFIGMAPS}?limit=1&continue=${token}`), 400, 410, 504);
  });

  test.each([
    'limit=-5',
    'limit=9007199254740993',
    'pretty=%00',
    'timeoutSeconds=-1',
    'unknown=1&unknown=2',
    `x=${'y'.repeat(8_000)}`,
    'labelSelector=',
    '&&&===',
    '%zz=%',
  ])('%s does no harm', async (query) => {
    expect(await send('GET', `${CONFIGMAPS}?${query}`)).toMatchObject({ status: 200 });
  });

  test.each(['dryRun=Nope', 'fieldValidation=Nope', 'fieldManager=%00', `fieldManager=${'x'.repeat(200)}`])(
    'a write with %s is refused',
    async (query) => {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'options' } });
      expectStatus(await send('POST', `${CONFIGMAPS}?${query}`, body), 400, 422);
    },
  );

  test.each([
    '/api/v1/namespaces/default/configmaps/%00',
    '/api/v1/namespaces/default/configmaps/..%2f..%2fx',
    '/api/v1/namespaces/%2e%2e/configmaps/a',
    '/apis/management.svc.example/v1/namespaces/default/sharedsecrets/a/b/c/d',
    '/apis/%ff',
    '/apis/a/b/c/d/e/f/g',
    '/kubernetes/management/kubernetes/management/api',
    `/api/v1/namespaces/default/configmaps/${'a'.repeat(4_000)}`,
  ])('GET %s', async (path) => {
    const answer = await send('GET', path);
    expect([400, 404]).toContain(answer.status);
    if (answer.text !== '404 page not found\n') expectStatus(answer, 400, 404);
  });
});

describe('headers', () => {
  test.each(['garbage', 'text/html', 'application/json;as=Nope;g=x;v=y', ','.repeat(3_000), '*', ';q=x'])(
    'Accept: %s',
    async (accept) => {
      const answer = await fetchFrom(`${sturdy.server.url}${CONFIGMAPS}`, { headers: { accept } });
      expect([200, 406]).toContain(answer.status);
    },
  );

  test.each(['Bearer ', 'Basic YTpi', 'Bearer a b c', 'x'.repeat(5_000)])(
    'Authorization: %s',
    async (authorization) => {
      const answer = await fetchFrom(`${sturdy.server.url}${CONFIGMAPS}`, {
        token: '',
        headers: { authorization },
      });
      expectStatus(answer, 401, 403);
    },
  );
});

test('the base path without a slash is the root', async () => {
  const root = await send('GET', '/');
  expect(await send('GET', '/kubernetes/management')).toMatchObject({ status: 200, text: root.text });
});

describe('Impersonate headers', () => {
  test.each([
    ['an administrator as one who may nothing', ADMIN_TOKEN, { 'impersonate-user': 'viewer' }, 403],
    [
      'an administrator as another',
      ADMIN_TOKEN,
      { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' },
      200,
    ],
    ['one who may nothing as an administrator', VIEWER_TOKEN, { 'impersonate-user': 'admin' }, 403],
    ['a group without a user', ADMIN_TOKEN, { 'impersonate-group': 'system:masters' }, 400],
  ])('%s', async (_name, token, headers, code) => {
    const answer = await fetchFrom(`${sturdy.server.url}${CONFIGMAPS}`, { token, headers });
    if (code === 200) expect(answer.status).toBe(200);
    else expectStatus(answer, code);
  });
});

describe('header limits', () => {
  const tooMany = (count: number, length: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`x-${index}`, 'y'.repeat(length)]));

  test('HTTP/1.1: headers of more than 1 MiB are 431', async () => {
    const answer = await fetchFrom(`${sturdy.server.url}${CONFIGMAPS}`, { headers: tooMany(70, 16_000) });
    expect(answer.status).toBe(431);
  });
});
