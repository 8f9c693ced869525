/** Audit log entries of clients without authentication or rights: no long lines, and a limited number. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';

import {
  VIEWER_TOKEN,
  fetchFrom,
  startServer,
  type FetchOptions,
  type ServerFixture,
} from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const MAX_LINE = 64 * 1024;
const SECRETS = '/api/v1/namespaces/default/secrets';
const LONG = 'x'.repeat(200_000);
const LEFT_OUT = 'management.svc.example/requests-left-out';

interface Line {
  readonly auditID: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly annotations: Readonly<Record<string, string>>;
}

const SECRET_PARAMETERS = [
  'access_token',
  'id_token',
  'code',
  'state',
  'client_secret',
  'Authorization',
  'api_key',
  '%74oken',
  'device_code',
  'code_verifier',
  'jwt',
  'sig',
  'passwd',
  'auth',
];

const agent = new Agent({ keepAlive: true, maxSockets: 10 });
let server: ServerFixture;

const texts = (): string[] => {
  const path = join(server.directory, 'data', 'audit', 'audit.log');
  // The last line may be incomplete.
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
};
const lines = (): Line[] => texts().map((text) => JSON.parse(text) as Line);
const send = (path: string, options: FetchOptions = {}): ReturnType<typeof fetchFrom> =>
  fetchFrom(`${server.url}${path}`, { agent, ...options });
/** Resolves when the events of all requests so far are in the file. */
async function written(): Promise<void> {
  const mark = `mark-${Math.random()}`;
  await send('/api/v1/namespaces/default', { headers: { 'audit-id': mark } });
  await eventually('the line', () => Promise.resolve(lines().some(({ auditID }) => auditID === mark)));
}

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  agent.destroy();
  await server.remove();
});

describe('the audit log', () => {
  const group = (at: number): string => `group-${at}-${'g'.repeat(400)}`;
  const ROWS: readonly (readonly [string, string, FetchOptions])[] = [
    ['a long query', `${SECRETS}?labelSelector=${LONG}`, {}],
    ['a long query of a stranger', `${SECRETS}?a=${LONG}`, { token: '' }],
    ['a long query with a bad token', `${SECRETS}?a=${LONG}`, { token: 'wrong' }],
    ['a long name', `${SECRETS}/${LONG}`, {}],
    ['a name of characters that take six bytes each', `${SECRETS}/${'%00'.repeat(60_000)}`, {}],
    ['a long namespace, kind and group', `/apis/${LONG}/v1/namespaces/${LONG}/${LONG}/x/${LONG}`, {}],
    ['a long path', `/${LONG}`, {}],
    ['a long id', SECRETS, { headers: { 'audit-id': LONG } }],
    ['a long user agent', SECRETS, { headers: { 'user-agent': LONG } }],
    ['a long name of another', SECRETS, { headers: { 'impersonate-user': LONG } }],
    [
      'many groups of another',
      SECRETS,
      {
        headers: {
          'impersonate-user': 'other',
          'impersonate-group': Array.from({ length: 900 }, (_none, at) => group(at)) as unknown as string,
        },
      },
    ],
    [
      'extras of another',
      SECRETS,
      {
        headers: {
          'impersonate-user': 'other',
          ...Object.fromEntries(
            Array.from({ length: 500 }, (_none, at) => [`impersonate-extra-k${at}`, group(at)]),
          ),
        },
      },
    ],
    ['a long denial', SECRETS, { token: VIEWER_TOKEN, headers: { 'impersonate-user': LONG } }],
    ['a long answer', SECRETS, { method: 'POST', body: JSON.stringify({ metadata: { name: LONG } }) }],
  ];

  test.each(ROWS)('takes no long line of %s', async (_what, path, options) => {
    const answer = await send(path, { headers: { 'content-type': 'application/json' }, ...options });
    const id = answer.headers['audit-id'] as string;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await eventually('the line', () => Promise.resolve(lines().some(({ auditID }) => auditID === id)));
    expect(texts().filter((text) => Buffer.byteLength(text) >= MAX_LINE)).toEqual([]);
  });

  test.each(['', 'a b', 'ü', 'x'.repeat(65), '"},{"'])('does not take the id %j', async (given) => {
    const headers = { 'audit-id': Buffer.from(given).toString('latin1') };
    expect((await send(SECRETS, { headers })).headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(['6f1d2c3e-0000-4000-8000-1234567890ab', 'x'.repeat(64)])('takes the id %j', async (id) => {
    expect((await send(SECRETS, { headers: { 'audit-id': id } })).headers['audit-id']).toBe(id);
    await eventually('the line', () => Promise.resolve(lines().some(({ auditID }) => auditID === id)));
  });

  test('shows no value of a parameter that may be a secret', async () => {
    const planted = SECRET_PARAMETERS.map((name) => [name, `planted-${Math.random()}`] as const);
    for (const [name, value] of planted) {
      await send(`${SECRETS}?a=1&${name}=${value}&b=2`);
      await send(`/nowhere?${name}=${value}`, { method: 'HEAD', token: '' }).catch(() => undefined);
    }
    await written();
    const told = texts().join('\n') + server.log();
    expect(told).toContain('/nowhere?access_token=');
    expect(planted.filter(([, value]) => told.includes(value))).toEqual([]);
  });

  test('marks reads of secrets without values by their answers, and by nothing that a client says', async () => {
    const applied = 'kubectl.kubernetes.io/last-applied-configuration';
    const annotations = { [applied]: '{"data":{"a":"dmFsdWU="}}', kept: 'yes' };
    const body = JSON.stringify({ metadata: { name: 'marked', annotations }, data: { a: 'dmFsdWU=' } });
    await send(SECRETS, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const mark = 'management.svc.example/without-values';
    const forms: readonly (readonly [boolean, string, string])[] = [
      [true, table, SECRETS],
      [true, table, `${SECRETS}/marked`],
      [true, table, `${SECRETS}?watch=1&timeoutSeconds=1`],
      [true, `${table},application/json`, `${SECRETS}?includeObject=None`],
      [false, table, `${SECRETS}?includeObject=Object`],
      [false, 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io', SECRETS],
      [false, 'application/json', `${SECRETS}?${mark}=true`],
      [false, `application/json,${table}`, SECRETS],
      [false, table, '/api/v1/namespaces/default/configmaps'],
    ];
    for (const [at, [marked, accept, path]] of forms.entries()) {
      const id = `form-${at}-${Math.random()}`;
      const headers = { accept, 'audit-id': id, 'user-agent': mark, 'x-without-values': 'true' };
      const { text } = await send(path, { headers });
      await eventually('the line', () => Promise.resolve(lines().some(({ auditID }) => auditID === id)));
      const [line] = lines().filter(({ auditID }) => auditID === id);
      expect([path, accept, line?.annotations[mark] === 'true']).toEqual([path, accept, marked]);
      if (marked) expect([text.includes('dmFsdWU='), text.includes(`"${applied}":`)]).toEqual([false, false]);
      if (marked && !path.includes('None')) expect(text).toContain('"kept":"yes"');
    }
  });

  test('values made up by clients create no series of metrics', async () => {
    const admin = client(server);
    // The metrics of Node's garbage collector appear when it first runs, independent of requests.
    const ours = (line: string): boolean => !line.startsWith('nodejs_gc_');
    const count = async (): Promise<number> =>
      (await admin.send('GET', '/metrics')).text.split('\n').filter(ours).length;
    const ask = async (from: number): Promise<void> => {
      for (let at = from; at < from + 12; at += 1) {
        for (const path of [`/apis/g${at}/v1/r${at}`, `/api/v1/r${at}`, `${SECRETS}/a/s${at}`, `/p${at}`])
          await send(path);
        await send(`${SECRETS}?watch=0&dryRun=All${at}`);
      }
    };
    await ask(0);
    const before = await count();
    await ask(100);
    expect((await count()) - before).toBeLessThan(10);
  });
});

const CROWDS = [
  ['none', '', 'system:anonymous'],
  ['bad', 'wrong', 'system:anonymous'],
  ['poor', VIEWER_TOKEN, 'viewer'],
] as const;

/** Sends refused requests far above the rate limit, and some requests of others between them. */
async function crowd(): Promise<void> {
  const before = lines().length;
  const kept: string[] = [];
  for (let at = 0; at < 8; at += 1) {
    const refused = CROWDS.flatMap(([query, token]) =>
      Array.from({ length: 50 }, () => send(`${SECRETS}?crowd-${query}=${'y'.repeat(1_000)}`, { token })),
    );
    await Promise.all(refused);
    const body = JSON.stringify({ metadata: { generateName: 'kept-' } });
    const { headers } = await send(SECRETS, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    kept.push(headers['audit-id'] as string);
  }
  await written();
  const since = (): Line[] => lines().slice(before);
  const linesOf = (user: string): number =>
    since().filter(
      (one) => one.requestURI.includes('crowd-') && (one.user.username ?? 'system:anonymous') === user,
    ).length;
  expect([linesOf('system:anonymous') < 400, linesOf('viewer') < 400]).toEqual([true, true]);
  expect(kept.filter((id) => !since().some(({ auditID }) => auditID === id))).toEqual([]);
  const told = (name: string): boolean =>
    since().some(({ user, annotations }) => user.username === name && Number(annotations[LEFT_OUT]) > 0);
  const all = (): boolean => CROWDS.every(([, , name]) => told(name));
  await eventually('the number of the rest', () => Promise.resolve(all()));
  const { text } = await send('/metrics');
  expect(text).toMatch(/management_apiserver_audit_requests_left_out_total\{caller="users"\} [1-9]/);
  expect(text).toMatch(/management_apiserver_audit_requests_left_out_total\{caller="anonymous"\} [1-9]/);
}

test('a flood of refused requests is logged in part, and requests of others in full', crowd);
