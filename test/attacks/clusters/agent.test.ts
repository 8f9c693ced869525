/** Requests that the agent of a connected cluster must refuse, and similar valid requests that succeed. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { JWTPayload } from 'jose';
import type { KubeObject } from '../../../api/resource.js';
import { newKey } from '../../../pkg/authentication/issuedtoken/testing/signingkeys.js';
import { publicPart } from '../../../pkg/authentication/issuedtoken/keys.js';
import {
  AUDIENCE,
  CLUSTER,
  MAX_AGE_MS,
  claimsOf,
  signed,
  startAgentParts,
  userObject,
  type AgentParts,
  type Sent,
} from '../../fixtures/agents/agentparts.js';
import { statusOverHttp2 } from '../../fixtures/clients/http2frames.js';
import { fetchFrom } from '../../fixtures/servers/server.js';

const PODS = '/kubernetes/cluster/api/v1/namespaces/own/pods';
const OWN_PODS = '/kubernetes/project/p/space/s/api/v1/namespaces/own/pods';

let agent: AgentParts;
beforeAll(async () => {
  agent = await startAgentParts((request, response) => {
    request.on('end', () => response.end('{}'));
    request.resume();
  });
});
afterAll(async () => {
  expect(agent.failures).toEqual([]);
  await agent.stop();
});
beforeEach(() => {
  agent.sent.length = 0;
  agent.age = 0;
  agent.people.users.put(userObject('anna', { groups: ['devs'] }));
});

/** All bytes of the response, until the agent closes the connection or the response matches `enough`. */
async function raw(text: string, enough = /\r\n\r\n[^]*\}/): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: agent.port, ca: agent.authority });
  await once(socket, 'secureConnect');
  let answer = '';
  socket.setEncoding('latin1');
  const done = new Promise<void>((resolve) => {
    socket.on('data', (piece: string) => {
      answer += piece;
      if (enough.test(answer)) resolve();
    });
    socket.once('close', () => resolve());
    socket.on('error', () => resolve());
  });
  socket.write(text, 'latin1');
  await done;
  socket.destroy();
  return answer;
}
const codeOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

async function get(
  token: string,
  path = PODS,
  headers: readonly string[] = [],
  method = 'GET',
): Promise<number> {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`, ...headers];
  return codeOf(await raw(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`));
}

const headersOf = ({ rawHeaders }: Sent, name: string): string[] =>
  rawHeaders.filter((_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('tokens', () => {
  test('passes nothing of a request that would lose a header', async () => {
    const token = await agent.token();
    const bearer = ['authorization', `Bearer ${token}`] as const;
    for (const value of ['a ', '\ta', 'a\x01', 'a'.repeat(70_000)]) {
      const fields = [bearer, ['impersonate-user', value]] as const;
      expect(await statusOverHttp2(agent.port, { path: PODS, fields })).toBe(
        value.length > 99 ? '431' : '400',
      );
    }
    const short = Array.from({ length: 2_000 }, () => 'a: ');
    expect(await get(token, PODS, [...short, 'Impersonate-User: admin'])).toBe(431);
    expect(await get(token, PODS, ['Content-Type: a/b', 'Content-Type: c/d'])).toBe(400);
    expect(await get(token, `${PODS}/%zz`)).toBe(400);
    expect(agent.sent).toEqual([]);
  });

  test('a good one passes, as the user that it names', async () => {
    expect(await get(await agent.token())).toBe(200);
    const [one] = agent.sent as [Sent];
    expect(headersOf(one, 'authorization')).toEqual(['Bearer of-the-agent']);
    expect(headersOf(one, 'impersonate-user')).toEqual(['management:anna']);
    expect(headersOf(one, 'impersonate-uid')).toEqual(['uid-anna']);
    expect(headersOf(one, 'impersonate-group')).toEqual([
      'management:management:user:anna',
      'management:management:authenticated',
    ]);
    expect(headersOf(one, 'impersonate-extra-authentication.kubernetes.io%2fcredential-id')).toEqual([
      'JTI=id-1',
    ]);
  });

  const now = Math.floor(Date.now() / 1000);
  const own = `${AUDIENCE}/${CLUSTER}`;
  const holder = { kind: 'User', name: 'anna', uid: 'uid-anna', generation: 0 };
  test.each<[string, JWTPayload]>([
    ['expired', { exp: now - 1 }],
    ['without an end', { exp: undefined }],
    ['of tomorrow', { nbf: now + 3600 }],
    ['for another cluster', { aud: `${AUDIENCE}/west` }],
    ['for another cluster of a longer name', { aud: `${own}2` }],
    ['for all clusters', { aud: AUDIENCE }],
    ['for nobody', { aud: undefined }],
    ['for another audience', { aud: 'kubernetes' }],
    ['for a scope alone', { aud: `${own}/scoped` }],
    ['whose first audience is another', { aud: [`kubernetes`, own] }],
    [
      'with a scope, for those who do not look at it',
      { aud: own, 'management.svc.example': { ...holder, scope: {} } },
    ],
    ['of a service account', { 'management.svc.example': undefined, 'kubernetes.io': {} }],
    ['of nobody', { 'management.svc.example': { ...holder, name: 'eve' } }],
    ['of a user of another uid', { 'management.svc.example': { ...holder, uid: 'other' } }],
    ['of a team', { 'management.svc.example': { ...holder, kind: 'Team' } }],
    ['of a kind that is none', { 'management.svc.example': { ...holder, kind: 'system:masters' } }],
    [
      'made with a key that is gone',
      { 'management.svc.example/made-with': { name: 'k', uid: 'u', fingerprint: 'f' } },
    ],
    ['made with what cannot be read', { 'management.svc.example/made-with': 1 }],
  ])('%s is refused', async (_name, claims) => {
    expect(await get(await agent.token(claims))).toBe(401);
    expect(agent.sent).toEqual([]);
  });

  test('one that was revoked is refused until its revocation is removed, and others pass', async () => {
    const revocation = { metadata: { name: 'id-1' } } as unknown as KubeObject;
    agent.revocations.put(revocation);
    expect(await get(await agent.token())).toBe(401);
    expect(agent.sent).toEqual([]);
    expect(await get(await agent.token({ jti: 'id-2' }))).toBe(200);
    agent.revocations.remove(revocation);
    expect(await get(await agent.token())).toBe(200);
  });

  test('groups of the cluster itself, and of teams that the user has left, are not passed on', async () => {
    const groups = ['system:masters', 'management:team:ops', 'devs'];
    expect(await get(await agent.token({ groups }))).toBe(200);
    expect(headersOf(agent.sent[0] as Sent, 'impersonate-group')).toEqual(['management:devs']);
  });

  test('a revoked user, a disabled one and one who is gone are refused, at once', async () => {
    const token = await agent.token();
    expect(await get(token)).toBe(200);
    agent.people.users.put(userObject('anna', { tokenGeneration: 1 }));
    expect(await get(token)).toBe(401);
    agent.people.users.put(userObject('anna', { disabled: true }));
    expect(await get(token)).toBe(401);
    agent.people.users.remove(userObject('anna'));
    expect(await get(token)).toBe(401);
  });

  test('refuses every token until the list of revocations is loaded', async () => {
    const token = await agent.token();
    agent.age = MAX_AGE_MS;
    expect(await get(token)).toBe(200);
    agent.age = MAX_AGE_MS + 1;
    expect(await get(token)).toBe(503);
    agent.age = Infinity;
    expect(await get(token)).toBe(503);
  });

  test('a forged algorithm or key does not pass', async () => {
    const claims = claimsOf('anna');
    const published = publicPart(agent.key);
    const hmac = (secret: string, header: object): string => {
      const text = `${base64(header)}.${base64(claims)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    const good = await agent.token();
    const [head, , signature] = good.split('.') as [string, string, string];
    const eve = await newKey();
    const kid = agent.key.kid as string;
    const tokens = [
      `${base64({ alg: 'none', kid })}.${base64(claims)}.`,
      `${base64({ alg: 'None', kid })}.${base64(claims)}.${signature}`,
      `${base64({ alg: 'ES256', kid })}.${base64(claims)}.`,
      hmac(JSON.stringify(published), { alg: 'HS256', kid }),
      hmac(published.x ?? '', { alg: 'HS256', kid }),
      hmac('', { alg: 'HS256', kid }),
      await signed(eve, claims),
      await signed({ ...eve, kid }, claims),
      await signed(eve, claims, { kid, jwk: publicPart(eve) }),
      await signed(eve, claims, { kid: eve.kid, jku: 'https://evil/jwks' }),
      await signed(agent.key, claims, { crit: ['exp'], exp: 1 }).catch(() => 'a.b.c'),
      await signed(agent.key, claims, { kid: '../keys' }),
      await signed(agent.key, claims, { kid: undefined }),
      `${head}.${base64({ ...claims, sub: 'admin' })}.${signature}`,
      `${head}.${base64(claims)}.${'A'.repeat(86)}`,
      `${head}.${base64(claims)}.${Buffer.alloc(64).toString('base64url')}`,
      `${good}.x`,
      good.slice(0, -2),
      'x',
      'a.b.c',
      `${'a'.repeat(70_000)}.${base64(claims)}.x`,
    ];
    for (const [at, token] of tokens.entries()) expect([at, await get(token)]).toEqual([at, 401]);
    expect(agent.sent).toEqual([]);
  });

  test('a request with two Authorization headers, or with none, is refused', async () => {
    expect(await get('x', PODS, [`Authorization: Bearer ${await agent.token()}`])).toBe(400);
    expect(await get(await agent.token(), PODS, ['authorization: Basic eDp5'])).toBe(400);
    expect(codeOf(await raw(`GET ${PODS} HTTP/1.1\r\nHost: x\r\n\r\n`))).toBe(401);
    expect(codeOf(await raw(`GET ${PODS}?access_token=x HTTP/1.1\r\nHost: x\r\n\r\n`))).toBe(401);
  });
});

describe('scopes and spaces', () => {
  const inSpace = { spaces: [{ project: 'p', space: 's' }] };
  const scoped = (scope: object): Promise<string> => agent.token(claimsOf('anna', scope));

  test('a scope of a space passes into that space alone', async () => {
    const token = await scoped(inSpace);
    expect(await get(token, OWN_PODS)).toBe(200);
    expect(headersOf(agent.sent[0] as Sent, 'impersonate-extra-management.svc.example%2fscope')).toEqual([
      JSON.stringify(inSpace),
    ]);
    const refused = [
      PODS,
      '/kubernetes/cluster/api',
      '/kubernetes/project/p/space/other/api/v1/namespaces/own/pods',
      '/kubernetes/project/q/space/s/api/v1/namespaces/own/pods',
      '/kubernetes/project/p/virtualcluster/s/api/v1/namespaces/own/pods',
      '/kubernetes/project/p/space/s/api/v1/namespaces/kube-system/secrets',
      '/kubernetes/project/p/space/s/api/v1/pods',
      '/kubernetes/project/p/space/s/api/v1/nodes',
    ];
    agent.sent.length = 0;
    for (const path of refused) expect([path, await get(token, path)]).toEqual([path, 403]);
    expect(agent.sent).toEqual([]);
  });

  test.each([
    '/kubernetes/project/p/space/s/../../../../cluster/api/v1/secrets',
    '/kubernetes/project/p/space/s/%2e%2e/%2e%2e/%2e%2e/%2e%2e/cluster/api/v1/secrets',
    '/kubernetes/project/p/space/s%2f..%2f..%2fcluster/api/v1/secrets',
    '/kubernetes/project/p/space/s/api/v1/namespaces/own/../kube-system/secrets',
    '/kubernetes/project/p/space/s/api/v1/namespaces/own%2f..%2fkube-system/secrets',
    '/kubernetes/project/p/space/s//api/v1/namespaces/kube-system/secrets',
    '/kubernetes/project/p/space/s/api/v1/namespaces/own/services/a/proxy/..%2f..',
    '/kubernetes/project/p/space/s/\\..\\cluster/api',
  ])('%s leads nowhere', async (path) => {
    expect(await get(await scoped(inSpace), path)).toBe(400);
    expect(agent.sent).toEqual([]);
  });

  test('an empty scope allows nothing, and a rule allows exactly its requests', async () => {
    expect(await get(await scoped({}), PODS)).toBe(403);
    const rules = [{ verbs: ['get', 'list'], resources: [{ group: '', resources: ['pods'] }] }];
    const token = await scoped({ rules });
    expect(await get(token, PODS)).toBe(200);
    expect(await get(token, `${PODS}/a`, [], 'HEAD')).toBe(200);
    expect(await get(token, `${PODS}?watch=true`)).toBe(403);
    expect(await get(token, `${PODS}?watch`)).toBe(403);
    expect(await get(token, '/kubernetes/cluster/api/v1/watch/namespaces/own/pods')).toBe(403);
    expect(await get(token, `${PODS}/a/exec`)).toBe(403);
    expect(await get(token, PODS, ['X-HTTP-Method-Override: GET', 'Content-Length: 0'], 'POST')).toBe(403);
    expect(await get(token, PODS, [], 'DELETE')).toBe(403);
    const there = await scoped({ rules: [{ ...rules[0], cluster: 'west' }] });
    expect(await get(there, PODS)).toBe(403);
  });

  test('a space of another cluster, and a deleted one, is not found', async () => {
    const token = await agent.token();
    expect(await get(token, '/kubernetes/project/p/space/far/version')).toBe(404);
    expect(await get(token, '/kubernetes/project/p/space/none/version')).toBe(404);
  });
});

describe('headers and framing', () => {
  test('headers cannot change the user', async () => {
    const token = await agent.token();
    for (const name of ['Impersonate-User', 'impersonate-group', 'IMPERSONATE-EXTRA-x'])
      expect(await get(token, PODS, [`${name}: system:admin`])).toBe(403);
    expect(agent.sent).toEqual([]);
    const sly = ['X-Remote-User: admin', 'X-Remote-Group: system:masters', 'X-Forwarded-For: 1.2.3.4'];
    expect(await get(token, PODS, sly)).toBe(200);
    const [one] = agent.sent as [Sent];
    expect(one.rawHeaders.join()).not.toMatch(/x-remote|1\.2\.3\.4|system:masters/i);
    expect(headersOf(one, 'x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(headersOf(one, 'impersonate-user')).toEqual(['management:anna']);
  });

  test('a request is not hidden in another', async () => {
    const token = await agent.token();
    const head = `POST ${PODS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
    const hidden = `GET /kubernetes/cluster/hidden HTTP/1.1\r\nHost: x\r\n\r\n`;
    const wrong = [
      `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${hidden}`,
      `Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
      `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${hidden}`,
      `Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `Transfer-Encoding:\u000bchunked\r\n\r\n0\r\n\r\n${hidden}`,
      `Content-Length: +4\r\n\r\n${hidden}`,
      `Content-Length: 0x4\r\n\r\n${hidden}`,
      `X: 1\r\n Content-Length: 4\r\n\r\n${hidden}`,
      `Content-Length: 4\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    ];
    for (const [at, rest] of wrong.entries()) {
      const answer = await raw(head + rest);
      expect([at, codeOf(answer)]).toEqual([at, 400]);
      expect([at, answer.match(/HTTP\/1\.1 \d/g)?.length]).toEqual([at, 1]);
    }
    expect(agent.sent.filter(({ url }) => url.includes('hidden'))).toEqual([]);
  });

  test('bodies arrive as they were sent, however they are framed', async () => {
    const token = await agent.token();
    const head = `POST ${PODS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
    const forms = [
      'Content-Length: 5\r\n\r\nhello',
      'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ];
    for (const rest of forms) expect(codeOf(await raw(head + rest))).toBe(200);
    const get = `GET ${PODS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 5\r\n\r\nhello`;
    expect(codeOf(await raw(get))).toBe(200);
    expect(agent.sent.map(({ body }) => body)).toEqual(['hello', 'hello', 'hello']);
  });

  test('huge and countless headers are refused', async () => {
    const token = await agent.token();
    const headers = { 'x-large': 'x'.repeat(1_100_000) };
    const url = `https://127.0.0.1:${agent.port}${PODS}`;
    // The connection may be closed before all was sent, so that the response is lost.
    const refused = await fetchFrom(url, { token, headers }).catch(() => ({ status: 431 }));
    expect(refused.status).toBe(431);
    const many = Array.from({ length: 1_600 }, (_, at) => `X-${at}: 1`);
    expect(await get(token, PODS, many)).toBe(400);
    expect(agent.sent).toEqual([]);
  });

  test.each(['TRACE', 'CONNECT', 'PROPFIND'])('%s is no method', async (method) => {
    expect(await get(await agent.token(), PODS, [], method)).toBe(405);
    expect(agent.sent).toEqual([]);
  });
});

describe('other protocols', () => {
  const exec = `${PODS}/a/exec?command=sh`;
  const webSocket = [
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  async function upgrade(
    path: string,
    headers: readonly string[],
    method = 'GET',
    rest = '',
  ): Promise<number> {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${await agent.token()}`,
      'Connection: Upgrade',
      ...headers,
    ];
    return codeOf(await raw(`${lines.join('\r\n')}\r\n\r\n${rest}`));
  }
  test('refuses an ambiguous upgrade and forwards nothing', async () => {
    expect(await upgrade(PODS, webSocket)).toBe(400);
    expect(await upgrade('/kubernetes/cluster/version', webSocket)).toBe(400);
    expect(await upgrade(exec, ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'])).toBe(400);
    expect(await upgrade(exec, ['Upgrade: websocket, h2c'])).toBe(400);
    expect(await upgrade(exec, ['Upgrade: websocket', 'Upgrade: SPDY/3.1'])).toBe(400);
    expect(await upgrade(exec, webSocket, 'POST')).toBe(400);
    expect(await upgrade(exec, ['Upgrade: SPDY/3.1'], 'DELETE')).toBe(400);
    expect(await upgrade(exec, [...webSocket, 'Content-Length: 4'], 'GET', 'GET ')).toBe(400);
    expect(await upgrade(exec, [...webSocket, 'Transfer-Encoding: chunked'], 'GET', '0\r\n\r\n')).toBe(400);
    expect(agent.sent).toEqual([]);
  });
  test('an upgrade that the API server declines gets its answer, and bytes after it are not taken for a request', async () => {
    const hidden = 'GET /kubernetes/cluster/hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await upgrade(exec, webSocket, 'GET', hidden)).toBe(200);
    expect(agent.sent.map(({ url }) => url)).toEqual(['/api/v1/namespaces/own/pods/a/exec?command=sh']);
  });
});

describe('HTTP/2', () => {
  let session: ClientHttp2Session;
  beforeEach(() => {
    session = connectHttp2(`https://127.0.0.1:${agent.port}`, { ca: agent.authority });
    session.on('error', () => undefined);
  });
  afterAll(() => session.destroy());
  async function send(headers: OutgoingHttpHeaders, body?: string): Promise<number> {
    const authorization = `Bearer ${await agent.token()}`;
    const stream = session.request(
      { ':path': PODS, authorization, ...headers },
      { endStream: body === undefined },
    );
    if (body !== undefined) stream.end(body);
    return new Promise((resolve) => {
      let status = 0;
      stream.once('response', ({ ':status': told = 0 }) => (status = told));
      stream.on('error', () => (status = 0));
      stream.once('close', () => resolve(status));
      stream.resume();
    });
  }
  test('bodies arrive with and without a length; a wrong length is no request', async () => {
    expect(await send({ ':method': 'POST' }, 'hello')).toBe(200);
    expect(await send({ ':method': 'POST', 'content-length': 5 }, 'hello')).toBe(200);
    expect(agent.sent.map(({ body }) => body)).toEqual(['hello', 'hello']);
    expect(await send({ ':method': 'POST', 'content-length': 3 }, 'hello')).not.toBe(200);
    session.destroy();
  });
  test('headers that name somebody, and paths that escape', async () => {
    expect(await send({ 'impersonate-user': 'admin' })).toBe(403);
    expect(await send({ ':path': '/kubernetes/cluster/../x' })).toBe(400);
    expect(await send({ ':path': 'https://x/kubernetes/cluster/api' })).not.toBe(200);
    expect(agent.sent).toEqual([]);
    expect(await send({ ':authority': 'admin', 'x-remote-user': 'admin' })).toBe(200);
    expect(agent.sent[0]?.rawHeaders.join()).not.toContain('admin');
    session.destroy();
  });
});
