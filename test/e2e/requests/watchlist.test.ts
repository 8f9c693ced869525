/** The beginning of watches, over HTTP and WebSocket: initial events, errors as events, expired resource versions. */
import { on, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { PROTOBUF, binaryEvent } from '../../fixtures/clients/protobufclient.js';
import { client, eventsOf, type Client, type WatchEvent } from '../../fixtures/clients/client.js';

interface Seen {
  readonly kind: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly metadata: {
    readonly name?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Record<string, string>;
    readonly continue?: string;
  };
  readonly details?: { readonly retryAfterSeconds?: number };
  readonly items?: readonly Seen[];
}

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const WATCH_LIST =
  'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=30';
const NAMES = ['a', 'b', 'c'];

let server: ServerFixture;
let api: Client;

beforeAll(async () => {
  server = await startServer();
  api = client(server);
  for (const name of NAMES) await api.send('POST', CONFIGMAPS, { metadata: { name, labels: { t: '1' } } });
});
afterAll(() => server.remove());

const list = async (query = ''): Promise<Seen> =>
  JSON.parse((await api.send('GET', `${CONFIGMAPS}?labelSelector=t${query}`)).text) as Seen;

const NO_ROLE = { apiGroup: '', kind: '', name: '' };
const EVENT = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

describe('a watch-list', () => {
  test.each([
    ['the newest state', ''],
    ['any state', '&resourceVersion=0'],
    ['a state that is reached', '&resourceVersion=64'],
  ])('of %s ends its state with a bookmark', async (_what, query) => {
    const events = await eventsOf<Seen>(api, `${CONFIGMAPS}?labelSelector=t&${WATCH_LIST}${query}`, 4);
    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ...NAMES.map((name) => ['ADDED', name]),
      ['BOOKMARK', undefined],
    ]);
    const end = events[3]?.object.metadata;
    expect(end?.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    for (const { object } of events.slice(0, 3))
      expect(Number(end?.resourceVersion)).toBeGreaterThanOrEqual(Number(object.metadata.resourceVersion));
  });

  test.each([
    ['/api/v1/events', EVENT],
    ['/api/v1/namespaces', { spec: {}, status: {} }],
    ['/api/v1/secrets', {}],
    ['/apis/coordination.k8s.io/v1/leases', { spec: {} }],
    ['/apis/rbac.authorization.k8s.io/v1/roles', { rules: null }],
    ['/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { roleRef: NO_ROLE }],
    ['/apis/management.svc.example/v1/sharedsecrets', {}],
  ])('of %s ends with an object that has what its kind requires', async (path, required) => {
    const [end] = await eventsOf<Seen>(api, `${path}?fieldSelector=metadata.name%3Dnone&${WATCH_LIST}`, 1);
    const {
      kind: _,
      apiVersion: __,
      metadata: ___,
      ...members
    } = end?.object as Seen & Record<string, unknown>;
    expect([end?.type, members]).toEqual(['BOOKMARK', required]);
  });

  test('sees every write that was answered before it', async () => {
    const path = `${CONFIGMAPS}?fieldSelector=metadata.name%3Dfresh&${WATCH_LIST}`;
    for (let round = 0; round < 20; round += 1) {
      const written = await api.send('POST', CONFIGMAPS, { metadata: { name: 'fresh' } });
      const { metadata } = JSON.parse(written.text) as Seen;
      const [added] = await eventsOf<Seen>(api, path, 1);
      expect(added?.object.metadata.resourceVersion).toBe(metadata.resourceVersion);
      await api.send('DELETE', `${CONFIGMAPS}/fresh`);
      const [none] = await eventsOf<Seen>(api, path, 1);
      expect(none?.type).toBe('BOOKMARK');
    }
  });

  test('of a resourceVersion that is not reached reports it in an event, and ends', async () => {
    const path = `${CONFIGMAPS}?${WATCH_LIST}&resourceVersion=999999999`;
    const events = await eventsOf<Seen>(api, path, 9);
    expect(events).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          code: 504,
          reason: 'Timeout',
          message: expect.stringMatching(/^Timeout: Too large resource version: 999999999, current: \d+$/),
          details: {
            causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
            retryAfterSeconds: 1,
          },
        }) as unknown,
      },
    ]);
  });

  test('from an expired resourceVersion sends an ERROR event, and ends', async () => {
    const events = await eventsOf<Seen>(api, `${CONFIGMAPS}?watch=1&resourceVersion=1`, 9);
    expect(events.map(({ type, object: { code, reason } }) => [type, code, reason])).toEqual([
      ['ERROR', 410, 'Expired'],
    ]);
    expect(events[0]?.object.message).toMatch(/^too old resource version: 1 \(\d+\)$/);
  });
});

test('a list with an expired continue token goes on with the token of the answer', async () => {
  const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"default/a\\u0000"}').toString('base64url');
  const gone = await api.send('GET', `${CONFIGMAPS}?labelSelector=t&limit=1&continue=${token}`);
  expect(gone.status).toBe(410);
  const status = JSON.parse(gone.text) as Seen;
  expect(status.reason).toBe('Expired');
  expect(status.message).toMatch(/^The provided continue parameter is too old to display a consistent list/);
  const second = await list(`&limit=1&continue=${status.metadata.continue}`);
  expect(second.items?.map(({ metadata }) => metadata.name)).toEqual(['b']);
  const third = await list(`&limit=1&continue=${second.metadata.continue}`);
  expect(third.items?.map(({ metadata }) => metadata.name)).toEqual(['c']);
  expect(third.metadata.continue).toBeUndefined();
});

describe('over WebSocket', () => {
  const open = (path: string, protocols: string[] = [], token = ADMIN_TOKEN, accept = '*/*'): WebSocket => {
    const headers = { accept, ...(token !== '' && { authorization: `Bearer ${token}` }) };
    const options = { headers, rejectUnauthorized: false };
    return new WebSocket(`${server.url.replace('https', 'wss')}${path}`, protocols, options);
  };
  const messages = (socket: WebSocket, count: number): Promise<WatchEvent<Seen>[]> =>
    new Promise((resolve, reject) => {
      const seen: WatchEvent<Seen>[] = [];
      socket.on('message', (data: Buffer, binary: boolean) => {
        if (binary) reject(new Error('a binary message'));
        seen.push(JSON.parse(data.toString()) as WatchEvent<Seen>);
        if (seen.length === count) resolve(seen);
      });
      socket.once('close', () => resolve(seen));
      socket.once('error', reject);
    });

  test('each event is a text message', async () => {
    const socket = open(`${CONFIGMAPS}?labelSelector=t&${WATCH_LIST}`);
    const events = await messages(socket, 4);
    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ...NAMES.map((name) => ['ADDED', name]),
      ['BOOKMARK', undefined],
    ]);
    const live = messages(socket, 2);
    await api.send('POST', CONFIGMAPS, { metadata: { name: 'live', labels: { t: '1' } } });
    await api.send('DELETE', `${CONFIGMAPS}/live`);
    expect((await live).map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    socket.close(1000);
    await once(socket, 'close');
  });

  test('each event of protobuf is a binary message without its length', async () => {
    const path = `${CONFIGMAPS}?labelSelector=t&${WATCH_LIST}`;
    const socket = open(path, [], ADMIN_TOKEN, `${PROTOBUF};stream=watch`);
    const seen: [string, unknown][] = [];
    for await (const [data, binary] of on(socket, 'message', { close: ['close'] })) {
      const { type, object } = binaryEvent(data as Buffer);
      seen.push([type, (object.metadata as Seen['metadata']).name]);
      expect(binary).toBe(true);
      if (type === 'BOOKMARK') break;
    }
    socket.terminate();
    expect(seen).toEqual([...NAMES.map((name) => ['ADDED', name]), ['BOOKMARK', undefined]]);
  });

  test('the server closes when the time is over', async () => {
    const socket = open(`${CONFIGMAPS}?watch=1&resourceVersion=64&timeoutSeconds=1`);
    const [code] = (await once(socket, 'close')) as [number];
    expect(code).toBe(1000);
  });

  test('a browser sends its token as a subprotocol, which is not echoed', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(ADMIN_TOKEN).toString('base64url')}`;
    const socket = open(`${CONFIGMAPS}?labelSelector=t&${WATCH_LIST}`, [token, 'events'], '');
    const [first] = await messages(socket, 1);
    expect([first?.type, socket.protocol]).toEqual(['ADDED', 'events']);
    socket.terminate();
  });

  test.each([
    ['a bad token', `${CONFIGMAPS}?watch=1`, 'no', 401],
    ['no credentials', `${CONFIGMAPS}?watch=1`, '', 403],
    ['bad parameters', `${CONFIGMAPS}?watch=1&labelSelector=%3D`, ADMIN_TOKEN, 400],
    ['what is not served', '/api/v1/nothings?watch=1', ADMIN_TOKEN, 404],
    ['a list', CONFIGMAPS, ADMIN_TOKEN, 200],
    ['a path', '/version', ADMIN_TOKEN, 200],
  ])('%s is answered without an upgrade', async (_what, path, token, code) => {
    const socket = open(path, [], token);
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
    expect(answer.statusCode).toBe(code);
    socket.on('error', () => undefined);
    socket.terminate();
  });
});
