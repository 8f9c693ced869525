/** Deletes with a grace period, and responses to deletes that wait for finalizers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const DAY = 86_400;

interface Meta {
  readonly uid: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly generation?: number;
}

let server: ServerFixture;
let api: Client;
beforeAll(async () => {
  server = await startServer({
    controllers: 'reaper-controller,garbage-collector-controller',
    flags: ['--event-ttl=3s'],
  });
  api = client(server);
});
afterAll(() => server.remove());

async function create(name: string, metadata: object = {}): Promise<Meta> {
  const { status, text } = await api.send('POST', SECRETS, {
    apiVersion: 'management.svc.example/v1',
    kind: 'SharedSecret',
    metadata: { name, ...metadata },
    data: {},
  });
  if (status !== 201) throw new Error(text);
  return metaOf(text);
}

const metaOf = (text: string): Meta => (JSON.parse(text) as { metadata: Meta }).metadata;
const remove = (name: string, gracePeriodSeconds?: number, more: object = {}): Promise<Answer> =>
  api.send('DELETE', `${SECRETS}/${name}`, {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...more,
  });
const code = async (path: string): Promise<number> => (await api.send('GET', path)).status;
const gone = (path: string): Promise<boolean> =>
  eventually(`${path} is gone`, async () => (await code(path)) === 404);
const warningsOf = ({ headers }: Answer): string => String(headers.warning ?? '');

describe('a grace period', () => {
  test('is none unless one is asked for', async () => {
    await create('none');
    expect((await remove('none')).status).toBe(200);
    expect(await code(`${SECRETS}/none`)).toBe(404);
  });

  test('lets the object stay until its time has come', async () => {
    const before = Date.now();
    const { generation = 0 } = await create('later');
    const answer = await remove('later', 2);
    expect(answer.status).toBe(200);
    const meta = metaOf(answer.text);
    expect(meta).toMatchObject({ deletionGracePeriodSeconds: 2, generation: generation + 1 });
    const until = Date.parse(meta.deletionTimestamp ?? '');
    expect(until).toBeGreaterThan(before);
    expect(until).toBeLessThanOrEqual(Date.now() + 2_000);
    await gone(`${SECRETS}/later`);
    expect(Date.now()).toBeGreaterThanOrEqual(until);
  });

  test('only ever gets shorter', async () => {
    await create('shorter');
    const first = metaOf((await remove('shorter', 1_000)).text);
    for (const seconds of [1_000, 2_000, undefined]) {
      const answer = await remove('shorter', seconds);
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', status: 'Success' });
    }
    expect(metaOf((await api.send('GET', `${SECRETS}/shorter`)).text)).toEqual(first);
    const second = metaOf((await remove('shorter', 500)).text);
    expect(second).toMatchObject({ deletionGracePeriodSeconds: 500, generation: first.generation });
    const times = [first, second].map(({ deletionTimestamp = '' }) => Date.parse(deletionTimestamp));
    expect((times[0] as number) - (times[1] as number)).toBe(500_000);
    expect((await remove('shorter', 0)).status).toBe(200);
    expect(await code(`${SECRETS}/shorter`)).toBe(404);
  });

  test('is a day at most', async () => {
    await create('long');
    const answer = await remove('long', DAY + 1);
    expect(answer.status).toBe(422);
    expect((JSON.parse(answer.text) as { message: string }).message).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: gracePeriodSeconds: Invalid value: 86401: must be less than or equal to 86400',
    );
    expect((await api.send('DELETE', SECRETS, { gracePeriodSeconds: DAY + 1 })).status).toBe(422);
    expect((await remove('long', DAY)).status).toBe(200);
    expect((await remove('long', 0)).status).toBe(200);
  });

  test("is not for Kubernetes' own kinds", async () => {
    await api.send('POST', CONFIGMAPS, { metadata: { name: 'own' } });
    expect((await api.send('DELETE', `${CONFIGMAPS}/own`, { gracePeriodSeconds: DAY + 1 })).status).toBe(200);
    expect(await code(`${CONFIGMAPS}/own`)).toBe(404);
  });

  test('holds an object whose finalizers are gone, and finalizers hold one whose time has come', async () => {
    await create('both', { finalizers: ['example.com/hold'] });
    const until = Date.parse(metaOf((await remove('both', 2)).text).deletionTimestamp ?? '');
    await eventually('its time has come', () => Promise.resolve(Date.now() > until + 1_500));
    expect(await code(`${SECRETS}/both`)).toBe(200);
    await api.send('PATCH', `${SECRETS}/both`, { metadata: { finalizers: null } }, MERGE);
    await gone(`${SECRETS}/both`);
    await create('early', { finalizers: ['example.com/hold'] });
    await remove('early', 1_000);
    await api.send('PATCH', `${SECRETS}/early`, { metadata: { finalizers: null } }, MERGE);
    expect(await code(`${SECRETS}/early`)).toBe(200);
    await remove('early', 0);
    await gone(`${SECRETS}/early`);
  });

  test('ends while the server is down too', async () => {
    await create('down');
    await remove('down', 1);
    await server.kill();
    await server.restart();
    await gone(`${SECRETS}/down`);
  });

  test('is over for all that a collection delete finds in a namespace that is being deleted', async () => {
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'ending' } });
    const secrets = SECRETS.replace('default', 'ending');
    const secret = { apiVersion: 'management.svc.example/v1', kind: 'SharedSecret', metadata: { name: 'a' } };
    await api.send('POST', secrets, { ...secret, data: {} });
    await api.send('DELETE', '/api/v1/namespaces/ending');
    expect((await api.send('DELETE', secrets, { gracePeriodSeconds: 1_000 })).status).toBe(200);
    expect(await code(`${secrets}/a`)).toBe(404);
  });
});

describe('a delete that has to wait', () => {
  test('names finalizers and the time', async () => {
    await create('waits', { finalizers: ['example.com/hold'] });
    const warnings = warningsOf(await remove('waits', 600));
    expect(warnings).toMatch(
      /299 - "the object goes when its finalizers are removed: example\.com\/hold \(set \d+s ago\)"/,
    );
    expect(warnings).toMatch(/299 - "the object goes at \S+Z, its grace period being 600 s"/);
    const withoutAge = (text: string): string => text.replace(/set \d+s ago/, 'set');
    expect(withoutAge(warningsOf(await remove('waits', 900)))).toBe(withoutAge(warnings));
  });

  test('names dependents that hold it up', async () => {
    const { uid } = await create('owner');
    const owner = { apiVersion: 'management.svc.example/v1', kind: 'SharedSecret', name: 'owner', uid };
    for (const name of ['a', 'b', 'c', 'd']) {
      const ownerReferences = [{ ...owner, blockOwnerDeletion: true }];
      await create(name, { ownerReferences, finalizers: ['example.com/hold'] });
    }
    const warnings = warningsOf(await remove('owner', undefined, { propagationPolicy: 'Foreground' }));
    expect(warnings).toBe(
      '299 - "the object goes when its dependents are gone: sharedsecret a, sharedsecret b, sharedsecret c, 1 more"',
    );
  });

  test('says nothing to controllers', async () => {
    await create('quiet', { finalizers: ['example.com/hold'] });
    const answer = await api.send('DELETE', `${SECRETS}/quiet`, undefined, {
      'impersonate-user': 'system:serviceaccount:x:y',
      'impersonate-group': 'system:masters',
    });
    expect(answer.status).toBe(200);
    expect(warningsOf(answer)).toBe('');
  });
});

test('events go when their time is over, counted from their last write', async () => {
  const events = '/api/v1/namespaces/default/events';
  const body = {
    metadata: { name: 'e' },
    involvedObject: { kind: 'ConfigMap', name: 'x', namespace: 'default' },
  };
  expect((await api.send('POST', events, body)).status).toBe(201);
  await gone(`${events}/e`);
});
