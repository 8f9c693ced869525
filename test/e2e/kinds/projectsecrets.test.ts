/** ProjectSecrets with the data of a SharedSecret. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { impersonating, allow, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const SHARED = `/apis/${GROUP}/v1/namespaces/default/sharedsecrets`;
const MIRRORS = `/apis/${GROUP}/v1/namespaces/team/projectsecrets`;

type Data = Record<string, string>;
interface Secret {
  metadata: { labels?: Data; generation: number };
  spec: { data?: Data; displayName?: string };
  status?: { conditions?: { type: string; status: string; reason: string }[] };
}

let server: ServerFixture;
let admin: Actor;
let writer: Actor;

beforeAll(async () => {
  server = await startServer({ controllers: 'shared-secret-sync-controller' });
  admin = impersonating(server);
  writer = impersonating(server, 'writer');
  await admin.send('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  await allow(server, 'writer', 'team', { apiGroups: [GROUP], resources: ['projectsecrets'], verbs: ['*'] });
  await allow(server, 'writer', 'default', {
    apiGroups: [GROUP],
    resources: ['sharedsecrets'],
    verbs: ['get'],
    resourceNames: ['mine', 'other'],
  });
});
afterAll(() => server.remove());

const labels = (name: string, namespace = 'default') => ({
  [`${GROUP}/sharedsecret-name`]: name,
  [`${GROUP}/sharedsecret-namespace`]: namespace,
});
const share = (name: string, data: Data): Promise<Reply> =>
  admin.send('POST', SHARED, { metadata: { name }, spec: { data } });
const mirror = (name: string, of: string, spec: object = {}): Promise<Reply<Secret>> =>
  writer.send('POST', MIRRORS, { metadata: { name, labels: labels(of) }, spec });

function synced({ status }: Secret): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === 'Synced');
  return found && `${found.status} ${found.reason}`;
}

/** Waits until the mirror has this data and this condition. */
function becomes(name: string, data: Data | undefined, condition = 'True Synced'): Promise<Secret> {
  return eventually(`${name} ${JSON.stringify(data)} ${condition}`, async () => {
    const { body } = await admin.send<Secret>('GET', `${MIRRORS}/${name}`);
    const has = JSON.stringify(body.spec.data ?? {}) === JSON.stringify(data ?? {});
    return has && synced(body) === condition && body;
  });
}

test('a mirror follows its source, and has nothing once the source is gone', async () => {
  await share('mine', { a: 'MQ==' });
  expect((await mirror('follows', 'mine')).status).toBe(201);
  await becomes('follows', { a: 'MQ==' });
  await admin.send('PATCH', `${SHARED}/mine`, { spec: { data: { a: 'Mg==', b: 'Mw==' } } });
  await becomes('follows', { a: 'Mg==', b: 'Mw==' });
  await admin.send('PATCH', `${SHARED}/mine`, { spec: { data: null } });
  await becomes('follows', undefined);
  await admin.send('PATCH', `${SHARED}/mine`, { spec: { data: { c: 'NA==' } } });
  await becomes('follows', { c: 'NA==' });
  await admin.send('DELETE', `${SHARED}/mine`);
  await becomes('follows', undefined, 'False SourceNotFound');
  await share('mine', { d: 'NQ==' });
  await becomes('follows', { d: 'NQ==' });
});

describe('a write of a mirror', () => {
  beforeAll(async () => {
    await share('other', { x: 'eA==' });
    await share('foreign', { s: 'cw==' });
    await mirror('kept', 'mine');
    await becomes('kept', { d: 'NQ==' });
  });

  /** PUT of the object with a changed spec. Retries if the controller has written the status since the read. */
  const put = (change: (spec: Secret['spec']) => Secret['spec']): Promise<Secret> =>
    eventually('a write', async () => {
      const { body } = await writer.send<Secret>('GET', `${MIRRORS}/kept`);
      const sent = await writer.send<Secret>('PUT', `${MIRRORS}/kept`, { ...body, spec: change(body.spec) });
      if (sent.status !== 409) expect(sent.status).toBe(200);
      return sent.status === 200 && sent.body;
    });

  test('may send back the object that was read, and leave the data out', async () => {
    const back = await put((spec) => ({ ...spec, displayName: 'x' }));
    expect(back.spec.data).toEqual({ d: 'NQ==' });
    const without = await put(({ data: _, ...spec }) => spec);
    expect(without.spec).toEqual(back.spec);
  });

  test('brings no data', async () => {
    const created: Reply<object> = await mirror('own', 'mine', { data: { a: 'MQ==' } });
    const patched = await writer.send('PATCH', `${MIRRORS}/kept`, { spec: { data: { a: 'MQ==' } } });
    await writer.send('POST', MIRRORS, { metadata: { name: 'plain' }, spec: { data: { a: 'MQ==' } } });
    const labelled = await writer.send('PATCH', `${MIRRORS}/plain`, { metadata: { labels: labels('mine') } });
    for (const { status, body } of [created, patched, labelled]) {
      const { details } = body as { details: { causes: { field: string; reason: string }[] } };
      const found = details.causes.map(({ field, reason }) => [field, reason]);
      expect([status, found]).toEqual([422, [['spec.data', 'FieldValueForbidden']]]);
    }
  });

  test('names a SharedSecret only if its writer may get it', async () => {
    const created = await mirror('foreign', 'foreign');
    const changed = await writer.send('PATCH', `${MIRRORS}/kept`, {
      metadata: { labels: labels('foreign') },
    });
    expect([created.status, changed.status]).toEqual([403, 403]);
    expect(JSON.stringify(created.body)).not.toContain('cw==');
    const byAdmin = await admin.send('POST', MIRRORS, {
      metadata: { name: 'foreign', labels: labels('foreign') },
    });
    expect(byAdmin.status).toBe(201);
    const other = await writer.send('PATCH', `${MIRRORS}/foreign`, { spec: { displayName: 'x' } });
    expect(other.status).toBe(200);
  });

  test('to another SharedSecret keeps nothing of the one before', async () => {
    const changed = await writer.send<Secret>('PATCH', `${MIRRORS}/kept`, {
      metadata: { labels: labels('other') },
    });
    expect([changed.status, changed.body.spec.data]).toEqual([200, undefined]);
    await becomes('kept', { x: 'eA==' });
  });
});
