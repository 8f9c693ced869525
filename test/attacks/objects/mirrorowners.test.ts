/**
 * A mirror from a release without records of rights is filled with the right of its owner. A user who has lost the
 * right to the source cannot regain it through another user's right, by making that user the owner.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mirrorRecordKey } from '../../../pkg/management/projectsecrets/mirrorrecord.js';
import { impersonating, allow, type Actor } from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const SOURCE = `${API}/namespaces/default/sharedsecrets/db`;
const MIRRORS = `${API}/namespaces/team/projectsecrets`;
const LABELS = { [`${GROUP}/sharedsecret-name`]: 'db', [`${GROUP}/sharedsecret-namespace`]: 'default' };
const DATA = { a: 'bmV3' };
const APPLY = 'application/apply-patch+yaml';

interface Mirror {
  readonly spec: { readonly owner?: object; readonly data?: Readonly<Record<string, string>> };
  readonly status?: { readonly conditions?: readonly { readonly message: string }[] };
}

let on: EngineServer;
let admin: Actor;
let mallory: Actor;

const read = async (name: string): Promise<Mirror> =>
  (await admin.send<Mirror>('GET', `${MIRRORS}/${name}`)).body;
const create = async (by: Actor, name: string, user: string): Promise<number> => {
  const spec = { owner: { user } };
  return (await by.send('POST', MIRRORS, { metadata: { name, labels: LABELS }, spec })).status;
};
const filled = (name: string): Promise<unknown> =>
  eventually(`${name} is filled`, async () => (await read(name)).spec.data?.a === DATA.a);

/** mallory has lost the right to what her mirrors name, and no record says by whose right kim's has its data. */
beforeAll(async () => {
  on = await startEmbedded({ controllers: 'shared-secret-sync-controller' });
  admin = impersonating(on.server);
  mallory = impersonating(on.server, 'mallory');
  await admin.send('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  const verbs = ['create', 'get', 'update', 'patch'];
  await allow(on.server, 'mallory', 'team', { apiGroups: [GROUP], resources: ['projectsecrets'], verbs });
  const access = [{ verbs: ['get'], users: ['ben', 'kim', 'mallory'] }];
  const spec = { data: DATA, access };
  await admin.send('POST', SOURCE.replace(/\/db$/, ''), { metadata: { name: 'db' }, spec });
  for (const name of ['merged', 'applied']) expect(await create(mallory, name, 'mallory')).toBe(201);
  expect(await create(admin, 'kims', 'kim')).toBe(201);
  await Promise.all(['merged', 'applied', 'kims'].map(filled));
  await admin.send('PATCH', SOURCE, { spec: { access: [{ verbs: ['get'], users: ['ben', 'kim'] }] } });
  const isEmpty = async (name: string): Promise<boolean> => (await read(name)).spec.data?.a === undefined;
  await eventually('revoked', async () => (await isEmpty('merged')) && (await isEmpty('applied')));
  await on.server.stop();
  const store = await on.openStore();
  await store.commit([{ key: mirrorRecordKey({ namespace: 'team', name: 'kims' }), expect: 'any' }]);
  await store.close();
  await on.server.restart();
});
afterAll(() => on.remove());

test('stays empty when it is given to somebody with the right', async () => {
  const owner = { user: 'ben' };
  const object = { kind: 'ProjectSecret', apiVersion: `${GROUP}/v1`, metadata: { name: 'applied' } };
  const applied = `${MIRRORS}/applied?fieldManager=x&force=true`;
  const answers = [
    await mallory.send('PATCH', `${MIRRORS}/merged`, { spec: { owner } }),
    await mallory.send('PATCH', applied, { ...object, spec: { owner } }, APPLY),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await create(admin, 'later', 'admin')).toBe(201);
  await filled('later');
  for (const name of ['merged', 'applied']) {
    const { spec, status } = await read(name);
    expect([spec.owner, spec.data ?? {}]).toEqual([owner, {}]);
    expect(status?.conditions?.map(({ message }) => message).join()).toContain('user "mallory" may not get');
  }
});

test('loses its data with the record of who may have them, until somebody with the right writes it', async () => {
  await eventually('empty', async () => (await read('kims')).spec.data?.a === undefined);
  const description = 'touched';
  expect((await mallory.send('PATCH', `${MIRRORS}/kims`, { spec: { description } })).status).toBe(403);
  expect((await admin.send('PATCH', `${MIRRORS}/kims`, { spec: { description } })).status).toBe(200);
  await filled('kims');
});
