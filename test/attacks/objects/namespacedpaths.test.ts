/**
 * Rights in one namespace give access neither to other namespaces nor to cluster-scoped objects, whatever form the path
 * has.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom } from '../../fixtures/servers/server.js';

const CORE = '/api/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MANAGEMENT = '/apis/management.svc.example/v1';
const MERGE = 'application/merge-patch+json';
const LABEL = { metadata: { labels: { attacked: 'yes' } } };

/** `master` may do everything in namespace `own`, `viewer` may read there. */
const PERSONS = { master: 'cluster-admin', viewer: 'view' };

/** [method, path, body, type] */
type Attack = readonly [string, string, unknown?, string?];

const ATTACKS: Attack[] = [
  ...['', '/kubernetes/management'].flatMap((base): Attack[] => [
    ['GET', `${base}${CORE}/namespaces/own/namespaces`],
    ['GET', `${base}${CORE}/namespaces/own/namespaces?watch=true&timeoutSeconds=1`],
    ['GET', `${base}${CORE}/namespaces/own/namespaces?fieldSelector=metadata.name%3Dvictim`],
    ['GET', `${base}${CORE}/watch/namespaces/own/namespaces?timeoutSeconds=1`],
    ['GET', `${base}${CORE}/watch/namespaces/own/namespaces/victim?timeoutSeconds=1`],
    ['GET', `${base}${CORE}/namespaces/own/namespaces/victim`],
    ['GET', `${base}${CORE}/namespaces/own/namespaces/victim/status`],
    ['POST', `${base}${CORE}/namespaces/own/namespaces`, { metadata: { name: 'made' } }],
    ['DELETE', `${base}${CORE}/namespaces/own/namespaces`],
  ]),
  ['PUT', `${CORE}/namespaces/own/namespaces/victim`, { ...LABEL, metadata: { name: 'victim' } }],
  ['PUT', `${CORE}/namespaces/own/namespaces/victim/finalize`, { metadata: { name: 'victim' }, spec: {} }],
  ['PATCH', `${CORE}/namespaces/own/namespaces/victim`, LABEL, MERGE],
  ['PATCH', `${CORE}/namespaces/own/namespaces/victim/status`, LABEL, MERGE],
  ['PATCH', `${CORE}/namespaces/own/namespaces/%76ictim`, LABEL, MERGE],
  ['DELETE', `${CORE}/namespaces/own/namespaces/victim`],
  ['DELETE', `${CORE}/namespaces/own/namespaces/victim?dryRun=All`],
  ['GET', `${CORE}/namespaces/victim`],
  ['DELETE', `${CORE}/namespaces/victim`],
  ['GET', `${CORE}/namespaces/victim/configmaps/kept`],
  ['GET', `${CORE}/namespaces/own%2F..%2Fvictim/configmaps/kept`],
  ['GET', `${CORE}/namespaces/own/configmaps/..%2F..%2Fvictim%2Fkept`],
  ['GET', `${CORE}/namespaces/own/../victim/configmaps/kept`],
  ['GET', `${CORE}/configmaps/kept`],
  ['GET', `${CORE}/configmaps`],
  ['DELETE', `${CORE}/configmaps`],
  ...['clusterroles', 'clusterrolebindings'].flatMap((kind): Attack[] => [
    ['GET', `${RBAC}/namespaces/own/${kind}`],
    ['POST', `${RBAC}/namespaces/own/${kind}`, { metadata: { name: 'made' } }],
    ['DELETE', `${RBAC}/namespaces/own/${kind}`],
  ]),
  ...['users', 'teams', 'clusters', 'projects', 'ownedaccesskeys'].flatMap((kind): Attack[] => [
    ['GET', `${MANAGEMENT}/namespaces/own/${kind}`],
    ['GET', `${MANAGEMENT}/namespaces/own/${kind}/it`],
    ['POST', `${MANAGEMENT}/namespaces/own/${kind}`, { metadata: { name: 'made' } }],
    ['PATCH', `${MANAGEMENT}/namespaces/own/${kind}/it`, LABEL, MERGE],
    ['DELETE', `${MANAGEMENT}/namespaces/own/${kind}`],
    ['GET', `${MANAGEMENT}/watch/namespaces/own/${kind}?timeoutSeconds=1`],
  ]),
  ...['directclusterendpointtokens', 'selves', 'projects/it/importvirtualcluster'].map((kind): Attack => [
    'POST',
    `${MANAGEMENT}/namespaces/own/${kind}`,
    {},
  ]),
  ['GET', `${MANAGEMENT}/namespaces/own/projects/it/members`],
];

let engine: EngineServer;
const send = (user: string | undefined, [method, path, body, type = 'application/json']: Attack) =>
  fetchFrom(engine.server.url + path, {
    method,
    headers: { 'content-type': type, ...(user !== undefined && { 'impersonate-user': user }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const made = async (...attack: Attack): Promise<void> =>
  expect((await send(undefined, attack)).status).toBe(201);

beforeAll(async () => {
  engine = await startEmbedded();
  for (const name of ['own', 'victim']) await made('POST', `${CORE}/namespaces`, { metadata: { name } });
  await made('POST', `${CORE}/namespaces/victim/configmaps`, { metadata: { name: 'kept' } });
  for (const kind of ['users', 'teams', 'projects', 'clusters'])
    await made('POST', `${MANAGEMENT}/${kind}`, { metadata: { name: 'it' } });
  for (const [name, role] of Object.entries(PERSONS))
    await made('POST', `${RBAC}/namespaces/own/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    });
});
afterAll(() => engine.remove());

test.each(Object.keys(PERSONS))(
  'a user with rights in a namespace, as %s, has none elsewhere',
  async (user) => {
    const taken: unknown[] = [];
    for (const attack of ATTACKS) {
      const { status, text } = await send(user, attack);
      if (![400, 403, 404, 405].includes(status))
        taken.push([...attack.slice(0, 2), status, text.slice(0, 100)]);
    }
    expect(taken).toEqual([]);
    const { text } = await send(undefined, ['GET', `${CORE}/namespaces/victim`]);
    expect(JSON.parse(text)).toMatchObject({ status: { phase: 'Active' } });
    expect(text).not.toContain('attacked');
  },
);

test('a user with rights in a namespace has them there', async () => {
  for (const user of Object.keys(PERSONS))
    for (const path of [`${CORE}/namespaces/own`, `${CORE}/namespaces/own/configmaps`])
      expect((await send(user, ['GET', path])).status).toBe(200);
  const watch = `${CORE}/watch/namespaces/own?timeoutSeconds=1`;
  const { text } = await send('viewer', ['GET', watch]);
  expect(text).toContain('"name":"own"');
  expect((await send('master', ['PATCH', `${CORE}/namespaces/own`, LABEL, MERGE])).status).toBe(200);
});
