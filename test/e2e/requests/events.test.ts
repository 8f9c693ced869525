/** Events are the same objects in core/v1 and in events.k8s.io/v1. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, eventsOf, type Client } from '../../fixtures/clients/client.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

interface Found {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly [member: string]: unknown;
}

const MERGE = { 'content-type': 'application/merge-patch+json' };
const TIME = '2026-01-01T00:00:00.000000Z';
const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 's' };
const NEW = {
  eventTime: TIME,
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  action: 'Act',
  reason: 'Because',
  type: 'Normal',
  note: 'said',
  regarding: SECRET,
};

describe('events', () => {
  let server: ServerFixture;
  let api: Client;
  beforeAll(async () => {
    server = await startServer({ controllers: 'namespace-controller' });
    api = client(server);
  });
  afterAll(() => server.remove());

  const paths = (namespace: string) => ({
    core: `/api/v1/namespaces/${namespace}/events`,
    own: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
  });
  const { core, own } = paths('default');
  const found = async (path: string): Promise<Found> =>
    JSON.parse((await api.send('GET', path)).text) as Found;
  const statusOf = async (path: string): Promise<number> => (await api.send('GET', path)).status;

  test.each([core, own])('a watch of %s from a version that is too old says so', async (path) => {
    const said = await eventsOf<{ code: number }>(api, `${path}?watch=true&resourceVersion=1`, 1);
    expect(said).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
  });

  test('an event written in one group is read in the other, at the same resourceVersion', async () => {
    const written = await api.send('POST', own, { metadata: { name: 'new' }, ...NEW });
    expect(written.status).toBe(201);
    const one = JSON.parse(written.text) as Found;
    expect(one).toMatchObject({ apiVersion: 'events.k8s.io/v1', ...NEW });
    const other = await found(`${core}/new`);
    expect(other).toMatchObject({
      apiVersion: 'v1',
      involvedObject: SECRET,
      message: 'said',
      reportingComponent: 'example.com/c',
    });
    expect([other.metadata.uid, other.metadata.resourceVersion]).toEqual([
      one.metadata.uid,
      one.metadata.resourceVersion,
    ]);
    await api.send('POST', core, {
      metadata: { name: 'old' },
      involvedObject: SECRET,
      message: 'm',
      count: 3,
    });
    expect(await found(`${own}/old`)).toMatchObject({ regarding: SECRET, note: 'm', deprecatedCount: 3 });
  });

  test('a series grows in one and is seen in the other', async () => {
    const series = { count: 2, lastObservedTime: TIME };
    expect((await api.send('PATCH', `${own}/new`, { series }, MERGE)).status).toBe(200);
    expect(await found(`${core}/new`)).toMatchObject({ series, message: 'said' });
    const refused = await api.send('PATCH', `${own}/new`, { note: 'other' }, MERGE);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Event \\"new\\" is invalid: message: Invalid value: \\"other\\"');
    expect((await api.send('PATCH', `${core}/new`, { message: 'core may' }, MERGE)).status).toBe(200);
    expect(await found(`${own}/new`)).toMatchObject({ note: 'core may', series });
  });

  test('one body is refused in the group of the other', async () => {
    const { status, text } = await api.send('POST', own, { apiVersion: 'v1', metadata: { name: 'x' } });
    expect(status).toBe(400);
    expect(text).toContain(
      'the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)',
    );
  });

  test('each form has its own field selectors', async () => {
    const names = async (path: string): Promise<string[]> =>
      ((await found(path)) as unknown as { items: Found[] }).items.map(({ metadata }) => metadata.name);
    expect(await names(`${own}?fieldSelector=regarding.name%3Ds,reason%3DBecause`)).toEqual(['new']);
    expect(await names(`${core}?fieldSelector=involvedObject.name%3Ds`)).toEqual(['new', 'old']);
    expect(await statusOf(`${own}?fieldSelector=involvedObject.name%3Ds`)).toBe(400);
  });

  test('watches of both see every change, from its own form', async () => {
    const { resourceVersion } = (await found(core)).metadata;
    await api.send('POST', own, { metadata: { name: 'seen' }, ...NEW });
    await api.send('DELETE', `${core}/seen`);
    const query = `?watch=1&resourceVersion=${resourceVersion}`;
    for (const [path, member] of [
      [core, 'involvedObject'],
      [own, 'regarding'],
    ] as const) {
      const events = await eventsOf<Found>(api, path + query, 2);
      expect(events.map(({ type, object }) => [type, object.metadata.name, object[member]])).toEqual([
        ['ADDED', 'seen', SECRET],
        ['DELETED', 'seen', SECRET],
      ]);
    }
  });

  test('the end of a namespace ends both', async () => {
    const shop = paths('shop');
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } });
    const regarding = { ...SECRET, namespace: 'shop' };
    expect((await api.send('POST', shop.own, { metadata: { name: 'e' }, ...NEW, regarding })).status).toBe(
      201,
    );
    await api.send('DELETE', '/api/v1/namespaces/shop');
    await eventually('the end', async () => (await statusOf('/api/v1/namespaces/shop')) === 404);
    expect([await statusOf(`${shop.core}/e`), await statusOf(`${shop.own}/e`)]).toEqual([404, 404]);
  });

  test('both are there after a restart', async () => {
    const before = [await found(`${core}/new`), await found(`${own}/new`)];
    await server.restart();
    expect([await found(`${core}/new`), await found(`${own}/new`)]).toEqual(before);
  });
});
