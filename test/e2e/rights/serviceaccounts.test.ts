/** Tokens of service accounts, created with kubectl and by requests: their user, and their expiry. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findProgram } from '../../fixtures/stores/etcd.js';
import {
  VIEWER_TOKEN,
  fetchFrom,
  startServer,
  type Answer,
  type ServerFixture,
} from '../../fixtures/servers/server.js';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SECRETS = '/api/v1/namespaces/default/secrets';
const REVIEWS = '/apis/authentication.k8s.io/v1';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer();
  await created(ACCOUNTS, { metadata: { name: 'robot' } });
});
afterAll(() => server.remove());

function send(method: string, path: string, body?: object, token?: string): Promise<Answer> {
  return fetchFrom(`${server.url}${path}`, {
    method,
    ...(token !== undefined && { token }),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
}

async function created<T = unknown>(path: string, body: object, token?: string): Promise<T> {
  const answer = await send('POST', path, body, token);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as T;
}

interface TokenRequest {
  metadata: { name: string; namespace: string; uid: string };
  spec: { audiences: string[]; expirationSeconds: number };
  status: { token: string; expirationTimestamp: string };
}
const tokenOf = (name: string, spec: object = {}): Promise<TokenRequest> =>
  created(`${ACCOUNTS}/${name}/token`, { spec });

interface TokenReview {
  status: { authenticated?: boolean; user: { username?: string }; audiences?: string[]; error?: string };
}
const reviewed = async (spec: object): Promise<TokenReview['status']> =>
  (await created<TokenReview>(`${REVIEWS}/tokenreviews`, { spec })).status;

const whoAmI = (token: string): Promise<Answer> => send('POST', `${REVIEWS}/selfsubjectreviews`, {}, token);

test('a token names its account', async () => {
  const { metadata, spec, status } = await tokenOf('robot', { expirationSeconds: 600 });
  expect(metadata).toMatchObject({ name: 'robot', namespace: 'default' });
  expect(spec).toEqual({ audiences: ['https://kubernetes.default.svc'], expirationSeconds: 600 });
  const left = Date.parse(status.expirationTimestamp) - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(600_000);
  const answer = await whoAmI(status.token);
  expect(JSON.parse(answer.text)).toMatchObject({
    status: {
      userInfo: {
        username: 'system:serviceaccount:default:robot',
        uid: metadata.uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    },
  });
});

test('a token for other audiences is refused; a review names its audiences', async () => {
  const { status } = await tokenOf('robot', { audiences: ['vault', 'other'] });
  expect((await whoAmI(status.token)).status).toBe(401);
  expect(await reviewed({ token: status.token, audiences: ['vault'] })).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:default:robot' },
    audiences: ['vault'],
  });
  expect(await reviewed({ token: status.token })).toEqual({ user: {}, error: 'invalid bearer token' });
  expect(await reviewed({ token: VIEWER_TOKEN, audiences: ['vault'] })).toMatchObject({ user: {} });
  expect(await reviewed({ token: `${status.token}\n`, audiences: ['vault'] })).toMatchObject({
    authenticated: true,
  });
  expect(await reviewed({ token: `${VIEWER_TOKEN}\r\n` })).toMatchObject({ user: { username: 'viewer' } });
  expect(await reviewed({ token: VIEWER_TOKEN })).toMatchObject({
    authenticated: true,
    user: { username: 'viewer' },
  });
});

test('a token ends with its account, also when the account is made anew, and with its Secret', async () => {
  await created(ACCOUNTS, { metadata: { name: 'short' } });
  await created(SECRETS, { metadata: { name: 'bound' } });
  const plain = (await tokenOf('short')).status.token;
  const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 'bound' };
  const bound = (await tokenOf('short', { boundObjectRef })).status.token;
  expect((await whoAmI(plain)).status).toBe(201);
  expect((await whoAmI(bound)).status).toBe(201);
  expect((await send('DELETE', `${SECRETS}/bound`)).status).toBe(200);
  expect((await whoAmI(bound)).status).toBe(401);
  expect((await whoAmI(plain)).status).toBe(201);
  expect((await send('DELETE', `${ACCOUNTS}/short`)).status).toBe(200);
  await created(ACCOUNTS, { metadata: { name: 'short' } });
  expect((await whoAmI(plain)).status).toBe(401);
});

test('a token outlives a restart', async () => {
  const { token } = (await tokenOf('robot')).status;
  await server.restart();
  expect((await whoAmI(token)).status).toBe(201);
});

test.each<[string, string, object, number, string]>([
  ['an account that is not there', 'nobody', {}, 404, 'serviceaccounts "nobody" not found'],
  [
    'too short a time',
    'robot',
    { spec: { expirationSeconds: 599 } },
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    'another name than the path',
    'robot',
    { metadata: { name: 'x' } },
    422,
    'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
  ],
  [
    'another account of that name',
    'robot',
    { metadata: { uid: 'x' } },
    409,
    'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (x) does not match the UID of the service account',
  ],
  [
    'a Secret that is not there',
    'robot',
    { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } } },
    404,
    'secrets "none" not found',
  ],
  [
    'a Pod',
    'robot',
    { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } } },
    400,
    'cannot bind token to object of type /v1, Kind=Pod',
  ],
])('no token for %s', async (_name, account, body, status, message) => {
  const answer = await send('POST', `${ACCOUNTS}/${account}/token`, body);
  expect(answer.status).toBe(status);
  expect((JSON.parse(answer.text) as { message: string }).message).toContain(message);
});

test('only POST', async () => {
  expect((await send('GET', `${ACCOUNTS}/robot/token`)).status).toBe(405);
  expect((await send('GET', `${REVIEWS}/tokenreviews`)).status).toBe(405);
  expect((await send('GET', `${REVIEWS}/tokenreviews/x`)).status).toBe(404);
  expect((await send('POST', '/apis/authorization.k8s.io/v1/localsubjectaccessreviews', {})).status).toBe(
    404,
  );
});

const kubectlProgram = findProgram('kubectl');
(kubectlProgram === undefined ? describe.skip : describe)('kubectl', () => {
  function kubectl(...args: string[]): { code: number | null; text: string } {
    const flags = [`--kubeconfig=${server.kubeconfig}`, `--cache-dir=${join(server.directory, 'cache')}`];
    const done = spawnSync(kubectlProgram as string, [...flags, ...args], {
      encoding: 'utf8',
      env: { ...process.env, HOME: server.directory },
    });
    return { code: done.status, text: done.stdout + done.stderr };
  }
  const as = (token: string): string[] => [`--token=${token}`, `--server=${server.url}`];

  test('creates tokens, and shows the user of a token', () => {
    const { code, text } = kubectl('create', 'token', 'robot', '--duration=15m');
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]+\n?$/),
    });
    const { text: who } = kubectl(...as(text.trim()), 'auth', 'whoami');
    expect(who).toMatch(/Username +system:serviceaccount:default:robot/);
  });

  test('shows what the administrator and others may do', () => {
    expect(kubectl('auth', 'can-i', 'delete', 'secrets')).toEqual({ code: 0, text: 'yes\n' });
    expect(kubectl('auth', 'can-i', '--list').text).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m);
    expect(kubectl(...as(VIEWER_TOKEN), 'auth', 'can-i', 'get', 'secrets')).toEqual({
      code: 1,
      text: 'no\n',
    });
  });
});
