/** Many clients write one object without a resourceVersion: all of them succeed, and no change is lost. */
import { Agent } from 'node:https';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ENGINES } from '../fixtures/servers/engines.js';
import { etcdIsThere } from '../fixtures/stores/etcd.js';
import { fetchFrom, type Answer, type ServerFixture } from '../fixtures/servers/server.js';
import { startTwoOnEtcd } from '../fixtures/servers/serversonetcd.js';

const WRITERS = 32;
const ROUNDS = 4;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const OBJECT = `${CONFIGMAPS}/contended`;
const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const MERGE = 'application/merge-patch+json';

const agent = new Agent({ keepAlive: true, maxSockets: 2 * WRITERS });
afterAll(() => agent.destroy());

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly type?: string;
  readonly user?: string;
}

const send = ({ url }: ServerFixture, { method, path, body, type, user }: Sent): Promise<Answer> =>
  fetchFrom(url + path, {
    method,
    agent,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      'content-type': type ?? 'application/json',
      ...(user !== undefined && { 'impersonate-user': user }),
    },
  });

/** The requests that set a client's own member of `data`. */
const WAYS: [string, (writer: number, round: number) => Sent][] = [
  [
    'merge patches',
    (writer, round) => ({
      method: 'PATCH',
      path: OBJECT,
      type: MERGE,
      body: { data: { [`w${writer}`]: `${round}` } },
    }),
  ],
  [
    'JSON patches',
    (writer, round) => ({
      method: 'PATCH',
      path: OBJECT,
      type: 'application/json-patch+json',
      body: [{ op: 'add', path: `/data/w${writer}`, value: `${round}` }],
    }),
  ],
  [
    'strategic merge patches',
    (writer, round) => ({
      method: 'PATCH',
      path: OBJECT,
      type: 'application/strategic-merge-patch+json',
      body: { data: { [`w${writer}`]: `${round}` } },
    }),
  ],
  [
    'applies',
    (writer, round) => ({
      method: 'PATCH',
      path: `${OBJECT}?fieldManager=w${writer}`,
      type: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'contended' },
        data: { [`w${writer}`]: `${round}` },
      },
    }),
  ],
];

/** A client sends requests one after the other, to the servers in turn. Returns the status codes. */
async function write(
  servers: readonly ServerFixture[],
  request: (writer: number, round: number) => Sent,
): Promise<Record<number, number>> {
  const codes: Record<number, number> = {};
  const writer = async (number: number): Promise<void> => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const server = servers[number % servers.length] as ServerFixture;
      const { status } = await send(server, request(number, round));
      codes[status] = (codes[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_unused, number) => writer(number)));
  return codes;
}

const ALL = Object.fromEntries(
  Array.from({ length: WRITERS }, (_unused, writer) => [`w${writer}`, `${ROUNDS}`]),
);
const dataOf = ({ text }: Answer): unknown => (JSON.parse(text) as { data?: unknown }).data;

async function renew(server: ServerFixture): Promise<void> {
  await send(server, { method: 'DELETE', path: OBJECT });
  const body = { metadata: { name: 'contended' }, data: { a: 'b' } };
  expect(await send(server, { method: 'POST', path: CONFIGMAPS, body })).toMatchObject({ status: 201 });
}

describe.each(ENGINES)('on %s', (_name, startOn) => {
  let server: ServerFixture;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ server, remove } = await startOn());
  });
  beforeEach(() => renew(server));
  afterEach(() => expect(server.log()).not.toMatch(/"level":"(error|fatal)"/));
  afterAll(() => remove());

  test.each(WAYS)('%s', async (_way, request) => {
    expect(await write([server], request)).toEqual({ 200: WRITERS * ROUNDS });
    expect(dataOf(await send(server, { method: 'GET', path: OBJECT }))).toEqual({ a: 'b', ...ALL });
  });

  test('PUTs without a version, and with an old one', async () => {
    const put = (writer: number, round: number): Sent => ({
      method: 'PUT',
      path: OBJECT,
      body: {
        metadata: { name: 'contended', ...(writer % 4 === 0 && { resourceVersion: '1' }) },
        data: { round: `${round}` },
      },
    });
    const old = (WRITERS / 4) * ROUNDS;
    expect(await write([server], put)).toEqual({ 200: 3 * old, 409: old });
  });

  test('while the object is deleted and made anew', async () => {
    let over = false;
    const deleting = (async () => {
      let codes = '';
      for (let time = 0; time < 5 || !over; time += 1) {
        codes += (await send(server, { method: 'DELETE', path: OBJECT })).status;
        codes += (
          await send(server, {
            method: 'POST',
            path: CONFIGMAPS,
            body: { metadata: { name: 'contended' } },
          })
        ).status;
      }
      return codes;
    })();
    const codes = await write([server], (WAYS[0] as (typeof WAYS)[0])[1]);
    over = true;
    expect(await deleting).toMatch(/^(200201)+$/);
    expect(Object.keys(codes).every((code) => ['200', '404'].includes(code))).toBe(true);
  });

  test('create on update, applies of what is not there', async () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/contended';
    const body = { metadata: { name: 'contended' }, spec: { holderIdentity: 'x' } };
    const codes = await write([server], (_writer, round) =>
      round % 4 === 0
        ? { method: 'DELETE', path: lease }
        : {
            method: 'PATCH',
            path: `${lease}?fieldManager=a`,
            type: 'application/apply-patch+yaml',
            body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...body },
          },
    );
    expect(Object.keys(codes).every((code) => ['200', '201', '404'].includes(code))).toBe(true);
  });

  test('one user’s many writes leave room for another’s', async () => {
    const mine = { method: 'POST', path: SECRETS, body: { metadata: { name: 'contended' } } };
    expect(await send(server, mine)).toMatchObject({ status: 201 });
    const path = `${SECRETS}/contended`;
    const flood = write([server], (writer, round) => ({
      method: 'PATCH',
      path,
      type: MERGE,
      body: { metadata: { labels: { [`w${writer}`]: `${round}` } } },
    }));
    const body = { metadata: { annotations: { other: 'user' } } };
    const other = await fetchFrom(server.url + path, {
      method: 'PATCH',
      body: JSON.stringify(body),
      headers: { 'content-type': MERGE, 'impersonate-user': 'anna', 'impersonate-group': 'system:masters' },
    });
    expect(other.status).toBe(200);
    expect(await flood).toEqual({ 200: WRITERS * ROUNDS });
  });
});

(etcdIsThere() ? describe : describe.skip)('two servers on one etcd', () => {
  test('merge patches and applies through both', async () => {
    const { servers, stop } = await startTwoOnEtcd();
    try {
      for (const [, request] of [WAYS[0], WAYS[3]] as typeof WAYS) {
        await renew(servers[0]);
        expect(await write(servers, request)).toEqual({ 200: WRITERS * ROUNDS });
        expect(dataOf(await send(servers[1], { method: 'GET', path: OBJECT }))).toEqual({ a: 'b', ...ALL });
      }
    } finally {
      await stop();
    }
  });
});
