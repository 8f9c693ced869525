/** Whatever a client sends: the answer is a Status (or the documented text), never a 500, and the server goes on. */
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMIN_TOKEN, VIEWER_TOKEN, fetchFrom, startServer } from '../fixtures/server.js';
import type { Answer, ServerFixture } from '../fixtures/server.js';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const MOST_BYTES = 3 * 1024 * 1024;
const MOST_DEPTH = 400;

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' }, data: { a: '1' } };
  expect((await send('POST', CONFIGMAPS, JSON.stringify(configMap))).status).toBe(201);
});
afterAll(() => server.remove());
afterEach(async () => {
  expect(server.isRunning()).toBe(true);
  expect(await fetchFrom(`${server.url}${CONFIGMAPS}/there`)).toMatchObject({ status: 200 });
  expect(server.log()).not.toMatch(/"level":"(error|fatal)"/);
});

const send = (
  method: string,
  path: string,
  body?: string | Buffer,
  contentType = 'application/json',
): Promise<Answer> =>
  fetchFrom(`${server.url}${path}`, {
    method,
    ...(body !== undefined && { body, headers: { 'content-type': contentType } }),
  });

interface StatusBody {
  readonly kind: string;
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
}

/** A refusal of the client's doing: a whole Status with the code of the status line. */
function expectStatus(answer: Answer, ...codes: number[]): StatusBody {
  expect(answer.text).toMatch(/^\{/);
  const status = JSON.parse(answer.text) as StatusBody;
  expect(status).toMatchObject({ kind: 'Status', status: 'Failure', code: answer.status });
  expect(status.message).not.toBe('');
  expect(codes).toContain(answer.status);
  return status;
}

const nested = (open: string, close: string, depth: number): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"x":${open.repeat(depth)}1${close.repeat(depth)}}`;

/** `!0`, `!1`, …: no names of anything. */
const keys = (count: number): string[] => Array.from({ length: count }, (_unused, index) => `!${index}`);

/** Each level is ten times the one before. */
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
      expect(await send('POST', path, nested(open, close, MOST_DEPTH - 1), type)).toMatchObject({
        status: 201,
      });
      const refused = expectStatus(await send('POST', path, nested(open, close, MOST_DEPTH), type), 400);
      expect(refused.message).toContain('exceeded max depth');
    },
  );

  test('a merge patch may nest 400 deep, and no deeper', async () => {
    const type = 'application/merge-patch+json';
    const path = `${CONFIGMAPS}/there?dryRun=All&fieldValidation=Ignore`;
    const patch = (depth: number): string => '{"x":'.repeat(depth) + '1' + '}'.repeat(depth);
    expect(await send('PATCH', path, patch(MOST_DEPTH), type)).toMatchObject({ status: 200 });
    expectStatus(await send('PATCH', path, patch(MOST_DEPTH + 1), type), 400);
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
    const big = Buffer.alloc(MOST_BYTES + 1, 0x78);
    expectStatus(await send('POST', CONFIGMAPS, big), 413);
    expectStatus(await send('PUT', `${CONFIGMAPS}/there`, big, 'application/yaml'), 413);
    expectStatus(await send('PATCH', `${CONFIGMAPS}/there`, big, 'application/merge-patch+json'), 413);
    const chunked = await fetchFrom(`${server.url}${CONFIGMAPS}`, {
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

describe('values of the wrong type', () => {
  const shared = (spec: unknown): string =>
    JSON.stringify({
      apiVersion: 'management.svc.example/v1',
      kind: 'SharedSecret',
      metadata: { name: 'typed' },
      spec,
    });

  beforeAll(async () => {
    const body = shared({ data: { pin: 'MTIzNA==' }, owner: { team: 'red' } });
    expect((await send('POST', SECRETS, body)).status).toBe(201);
  });

  test.each<[string, unknown]>([
    ['data that is one long text', { data: '!'.repeat(2_900_000) }],
    ['data that is a list', { data: ['MTIzNA=='] }],
    ['an entry that is a number', { data: { pin: 1234 } }],
    ['an entry that is true', { data: { pin: true } }],
    ['an entry that is an object', { data: { pin: {} } }],
    ['an entry that is a list', { data: { pin: [1] } }],
    ['a spec that is text', 'x'],
    ['a spec that is a number', 5],
    ['an owner that is text', { owner: 'x' }],
    ['an owner whose user is a number', { owner: { user: 1234 } }],
    ['access that is an object', { access: {} }],
    ['an access rule that is text', { access: ['x'] }],
    ['entries past counting', { data: Object.fromEntries(keys(30_000).map((key) => [key, '!'])) }],
  ])(
    '%s',
    async (_name, spec) => {
      for (const [method, path, type] of [
        ['POST', SECRETS, 'application/json'],
        ['PUT', `${SECRETS}/typed`, 'application/json'],
        ['PATCH', `${SECRETS}/typed`, 'application/merge-patch+json'],
      ] as const) {
        const answer = await send(
          method,
          path,
          method === 'PATCH' ? JSON.stringify({ spec }) : shared(spec),
          type,
        );
        expect(expectStatus(answer, 422).message).not.toContain('1234');
        expect(answer.text.length).toBeLessThan(200_000);
      }
      expect(server.log()).not.toContain('1234');
    },
    120_000,
  );

  test.each<[string, unknown]>([
    ['the whole spec', { spec: null }],
    ['the owner', { spec: { owner: null } }],
    ['its team', { spec: { owner: { team: null } } }],
    ['its team, by an empty name', { spec: { owner: { team: '' } } }],
  ])('a patch that removes %s leaves the owner', async (_name, patch) => {
    const body = JSON.stringify(patch);
    const answer = await send('PATCH', `${SECRETS}/typed`, body, 'application/merge-patch+json');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ spec: { owner: { team: 'red' } } });
  });
});

test.each([
  ['POST', CONFIGMAPS, 'application/json'],
  ['POST', CONFIGMAPS, 'application/yaml'],
  ['PUT', `${CONFIGMAPS}/there`, 'application/json'],
  ['PATCH', `${CONFIGMAPS}/there`, 'application/merge-patch+json'],
  ['PATCH', `${CONFIGMAPS}/there`, 'application/strategic-merge-patch+json'],
  ['PATCH', `${CONFIGMAPS}/there?fieldManager=a`, 'application/apply-patch+yaml'],
])('%s %s as %s with more values than a body or an object may have is 413', async (method, path, type) => {
  for (const [count, limit] of [
    [40_000, 32_768],
    [140_000, 131_072],
  ] as const) {
    const data = Object.fromEntries(keys(count).map((key) => [key, '']));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' }, data };
    const { message } = expectStatus(await send(method, path, JSON.stringify(body), type), 413);
    expect(message).toBe(`Request entity too large: limit is ${limit} values`);
  }
});

describe('more findings than an answer should list', () => {
  const many = Object.fromEntries(keys(30_000).map((key) => [key, '']));
  const configMap = (parts: object): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' }, ...parts });

  test.each<[string, object]>([
    ['label keys', { metadata: { name: 'there', labels: many } }],
    ['annotation keys', { metadata: { name: 'there', annotations: many } }],
    ['data keys', { data: many }],
    ['binaryData keys', { binaryData: many }],
    ['finalizers', { metadata: { name: 'there', finalizers: Object.keys(many) } }],
    [
      'controllers',
      {
        metadata: {
          name: 'there',
          ownerReferences: keys(5_000).map((uid) => ({
            apiVersion: 'v1',
            kind: 'K',
            name: 'n',
            uid,
            controller: true,
          })),
        },
      },
    ],
    ['a label key of 2 MB', { metadata: { name: 'there', labels: { ['!'.repeat(2_000_000)]: '' } } }],
    ['a data key of 2 MB', { data: { ['!'.repeat(2_000_000)]: '' } }],
  ])(
    '%s',
    async (_name, parts) => {
      const body = configMap(parts);
      for (const [method, path] of [
        ['POST', CONFIGMAPS],
        ['PUT', `${CONFIGMAPS}/there`],
      ] as const) {
        const answer = await send(method, path, body);
        expectStatus(answer, 422);
        expect(answer.text.length).toBeLessThan(1024 * 1024);
        const { details } = JSON.parse(answer.text) as { details: { causes: { message: string }[] } };
        expect(details.causes.length).toBeLessThanOrEqual(101);
        if (details.causes.length === 101) expect(details.causes[100]?.message).toMatch(/there are more$/);
      }
    },
    120_000,
  );
});

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
      const answer = await fetchFrom(`${server.url}${CONFIGMAPS}`, { headers: { accept } });
      expect([200, 406]).toContain(answer.status);
    },
  );

  test.each(['Bearer ', 'Basic YTpi', 'Bearer a b c', 'x'.repeat(5_000)])(
    'Authorization: %s',
    async (authorization) => {
      const answer = await fetchFrom(`${server.url}${CONFIGMAPS}`, { token: '', headers: { authorization } });
      expectStatus(answer, 401, 403);
    },
  );
});

describe('patches that do not decode', () => {
  test.each([
    ['application/merge-patch+json', '{"data":{"pin":1234}}'],
    ['application/merge-patch+json', '{"data":{"pin":"MTIzNA"},"immutable":"x"}'],
    ['application/strategic-merge-patch+json', '{"stringData":{"pin":["1234"]}}'],
    ['application/json-patch+json', '[{"op":"add","path":"/data/other","value":1234}]'],
  ])('%s %s shows no value of a secret', async (contentType, patch) => {
    const path = '/api/v1/namespaces/default/secrets';
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pins' }, data: { pin: 'MTIzNA==' } };
    expect([201, 409]).toContain((await send('POST', path, JSON.stringify(body))).status);
    const answer = await send('PATCH', `${path}/pins`, patch, contentType);
    expectStatus(answer, 422);
    expect(answer.text).toContain('***');
    expect(answer.text).not.toMatch(/1234|MTIzNA/);
  });
});

test('the base path without a slash is the root', async () => {
  const root = await send('GET', '/');
  expect(await send('GET', '/kubernetes/management')).toMatchObject({ status: 200, text: root.text });
});

test('a grace period of any int64 is understood', async () => {
  const body = '{"gracePeriodSeconds":9223372036854775807}';
  expectStatus(await send('DELETE', `${CONFIGMAPS}/none`, body), 404);
  expectStatus(await send('DELETE', `${CONFIGMAPS}/none`, '{"gracePeriodSeconds":1e19}'), 400);
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
    const answer = await fetchFrom(`${server.url}${CONFIGMAPS}`, { token, headers });
    if (code === 200) expect(answer.status).toBe(200);
    else expectStatus(answer, code);
  });
});

describe('header limits', () => {
  const tooMany = (count: number, length: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_unused, index) => [`x-${index}`, 'y'.repeat(length)]));

  test('HTTP/1.1: headers of more than 1 MiB are 431', async () => {
    const answer = await fetchFrom(`${server.url}${CONFIGMAPS}`, { headers: tooMany(70, 16_000) });
    expect(answer.status).toBe(431);
  });
});

describe('connections', () => {
  test('bytes that are no TLS, and no HTTP', async () => {
    const tcp = connectTcp(server.port, '127.0.0.1');
    tcp.on('error', () => undefined);
    tcp.end('GET / HTTP/1.1\r\n\r\n');
    tcp.resume();
    await once(tcp, 'close');
    const tls = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
    tls.on('error', () => undefined);
    await once(tls, 'secureConnect');
    tls.end('no HTTP at all\r\n\r\n');
    tls.resume();
    await once(tls, 'close');
  });

  test('fifty that stay half open', async () => {
    const head = `POST ${CONFIGMAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nContent-Length: 1000\r\n\r\n{`;
    const sockets = await Promise.all(
      Array.from({ length: 50 }, async (_unused, index) => {
        const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
        socket.on('error', () => undefined);
        await once(socket, 'secureConnect');
        socket.write(index % 2 === 0 ? head : 'GET /api HTTP/1.1\r\nHost:');
        return socket;
      }),
    );
    expect(await fetchFrom(`${server.url}${CONFIGMAPS}/there`)).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
  });

  test('HTTP/2 streams that are reset as fast as they are made', async () => {
    for (let round = 0; round < 5; round++) {
      const session = connectHttp2(server.url, { rejectUnauthorized: false });
      session.on('error', () => undefined);
      await once(session, 'connect');
      const headers = { ':path': CONFIGMAPS, authorization: `Bearer ${ADMIN_TOKEN}` };
      for (let i = 0; i < 500 && !session.destroyed; i++) {
        const stream = session.request(headers);
        stream.on('error', () => undefined);
        stream.close(constants.NGHTTP2_CANCEL);
      }
      session.destroy();
      if (!session.closed) await once(session, 'close');
    }
  });
});

test('after all that it still ends in order', async () => {
  await server.stop();
  await server.restart();
});
