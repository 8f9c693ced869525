/**
 * Projects, project secrets, clusters and instances: validation errors and their fields, defaults, and fields that
 * clients cannot change.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const KINDS = {
  Project: `${API}/projects`,
  Cluster: `${API}/clusters`,
  SpaceInstance: `${API}/namespaces/default/spaceinstances`,
  VirtualClusterInstance: `${API}/namespaces/default/virtualclusterinstances`,
  ProjectSecret: `${API}/namespaces/default/projectsecrets`,
} as const;
type Kind = keyof typeof KINDS;
interface Body {
  metadata: { name?: string; labels?: Record<string, string> };
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

let server: ServerFixture;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.remove());

function send(method: string, path: string, body?: unknown, user?: string): Promise<Answer> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = {
    'content-type': type,
    ...(user !== undefined && { 'impersonate-user': user, 'impersonate-group': 'system:masters' }),
  };
  return fetchFrom(`${server.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function made(kind: Kind, metadata: object, spec: object, user?: string): Promise<Body> {
  const answer = await send('POST', KINDS[kind], { metadata, spec }, user);
  if (answer.status !== 201) throw new Error(`${kind}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as Body;
}

/** `path: reason` of each validation error. */
function findings({ text }: Answer): string[] {
  const { details } = JSON.parse(text) as { details?: { causes?: { field: string; reason: string }[] } };
  return (details?.causes ?? []).map(({ field, reason }) => `${field}: ${reason}`);
}

const rules = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `r${i}`, users: ['u'], verbs: ['get'] }));
const member = (more: object = {}) => ({ kind: 'User', name: 'anna', clusterRole: 'view', ...more });
const NAME = 'metadata.labels[management.svc.example/sharedsecret-name]';
const NAMESPACE = 'metadata.labels[management.svc.example/sharedsecret-namespace]';
const labels = (name?: string, namespace?: string) => ({
  ...(name !== undefined && { 'management.svc.example/sharedsecret-name': name }),
  ...(namespace !== undefined && { 'management.svc.example/sharedsecret-namespace': namespace }),
});
const place = (clusterRef: object) => ({ clusterRef });

/** [kind, spec, expected errors, labels] */
const refused: [Kind, Record<string, unknown>, string[], Record<string, string>?][] = [
  ['Project', { access: rules(13) }, ['spec.access: FieldValueTooMany']],
  ['Project', { allowedClusters: [{}] }, ['spec.allowedClusters[0].name: FieldValueRequired']],
  ['Project', { allowedClusters: [{ name: 'a*' }] }, ['spec.allowedClusters[0].name: FieldValueInvalid']],
  ['Project', { members: [member({ kind: 'Group' })] }, ['spec.members[0].kind: FieldValueNotSupported']],
  ['Project', { members: [member({ name: '' })] }, ['spec.members[0].name: FieldValueRequired']],
  ['Project', { members: [member({ name: 'system:x' })] }, ['spec.members[0].name: FieldValueForbidden']],
  [
    'Project',
    { members: [member({ clusterRole: '' })] },
    ['spec.members[0].clusterRole: FieldValueRequired'],
  ],
  [
    'Project',
    { members: [member({ clusterRole: 'a/b' })] },
    ['spec.members[0].clusterRole: FieldValueInvalid'],
  ],
  ['Project', { members: [member(), member()] }, ['spec.members[1]: FieldValueDuplicate']],
  [
    'Project',
    { members: Array.from({ length: 13 }, (_, i) => member({ clusterRole: `r${i}` })) },
    ['spec.members: FieldValueTooMany'],
  ],
  ['Project', { quotas: { instances: -1 } }, ['spec.quotas.instances: FieldValueInvalid']],
  ['Project', { quotas: { secretBytes: -1 } }, ['spec.quotas.secretBytes: FieldValueInvalid']],
  ['Project', { quotas: { secretBytes: 'x' } }, ['spec.quotas.secretBytes: FieldValueTypeInvalid']],
  ['Project', { quotas: { objects: { secrets: -1 } } }, ['spec.quotas.objects[secrets]: FieldValueInvalid']],
  ['Project', { quotas: { objects: { 'A/b': 1 } } }, ['spec.quotas.objects[A/b]: FieldValueInvalid']],
  [
    'Project',
    { quotas: { objects: { secrts: 1, 'secrets.v1': 1, clusters: 1 } } },
    ['secrts', 'secrets.v1', 'clusters'].map((name) => `spec.quotas.objects[${name}]: FieldValueInvalid`),
  ],
  ['Cluster', { access: rules(13) }, ['spec.access: FieldValueTooMany']],
  ['Cluster', { config: {} }, ['spec.config.secretName: FieldValueRequired']],
  ['Cluster', { config: { secretName: 'A_b' } }, ['spec.config.secretName: FieldValueInvalid']],
  [
    'Cluster',
    { config: { secretName: 'a', secretNamespace: 'a.b' } },
    ['spec.config.secretNamespace: FieldValueInvalid'],
  ],
  ['Cluster', { config: { secretName: 'a', key: 'a/b' } }, ['spec.config.key: FieldValueInvalid']],
  ...(['SpaceInstance', 'VirtualClusterInstance'] as const).flatMap((kind): typeof refused => [
    [kind, { access: rules(13) }, ['spec.access: FieldValueTooMany']],
    [kind, { template: {}, templateRef: {} }, ['spec.template: FieldValueForbidden']],
    [kind, { extraAccessRules: [{}] }, ['spec.extraAccessRules[0].clusterRole: FieldValueRequired']],
    [
      kind,
      { extraAccessRules: Array.from({ length: 13 }, () => ({ clusterRole: 'view' })) },
      ['spec.extraAccessRules: FieldValueTooMany'],
    ],
    [kind, place({ cluster: 'A' }), ['spec.clusterRef.cluster: FieldValueInvalid']],
    [kind, place({ namespace: 'a' }), ['spec.clusterRef.cluster: FieldValueRequired']],
    [kind, place({ cluster: 'c', namespace: 'a.b' }), ['spec.clusterRef.namespace: FieldValueInvalid']],
    [
      kind,
      place({ cluster: 'c', namespace: 'kube-system' }),
      ['spec.clusterRef.namespace: FieldValueForbidden'],
    ],
    [kind, place({ cluster: 'c', namespace: 'default' }), ['spec.clusterRef.namespace: FieldValueForbidden']],
  ]),
  [
    'VirtualClusterInstance',
    place({ cluster: 'c', virtualCluster: 'A' }),
    ['spec.clusterRef.virtualCluster: FieldValueInvalid'],
  ],
  ['ProjectSecret', { access: rules(13) }, ['spec.access: FieldValueTooMany']],
  ['ProjectSecret', { data: { 'a/b': 'YQ==' } }, ['spec.data[a/b]: FieldValueInvalid']],
  ['ProjectSecret', { data: { a: 'no base64' } }, ['spec.data[a]: FieldValueInvalid']],
  ['ProjectSecret', { data: { a: 1 } }, ['spec.data[a]: FieldValueTypeInvalid']],
  ['ProjectSecret', { data: { a: 'A'.repeat(1_398_104) } }, ['spec.data: FieldValueTooLong']],
  ['ProjectSecret', {}, [`${NAMESPACE}: FieldValueRequired`], labels('a')],
  ['ProjectSecret', {}, [`${NAME}: FieldValueRequired`], labels(undefined, 'b')],
  ['ProjectSecret', {}, [`${NAMESPACE}: FieldValueInvalid`], labels('a', 'b.c')],
];

describe('refused with 422', () => {
  test.each(refused.map((row) => [row[0], row[2].join(', '), row] as const))('%s: %s', async (_, __, row) => {
    const [kind, spec, expected, labelled = {}] = row;
    const metadata = { name: 'refused', labels: labelled };
    const answer = await send('POST', KINDS[kind], { metadata, spec });
    expect([answer.status, findings(answer)]).toEqual([422, expected]);
    expect(answer.text).not.toContain('no base64');
  });
});

test('the name of a key of a project in an access rule is refused, and does not block other changes', async () => {
  const access = (name: string): object => ({ spec: { access: [{ verbs: ['get'], users: [name] }] } });
  await made('Project', { name: 'later' }, {});
  const refused = await send('PATCH', `${KINDS.Project}/later`, access('management:project:web:key:ci'));
  expect([refused.status, findings(refused)]).toEqual([422, ['spec.access[0].users[0]: FieldValueInvalid']]);
  expect((await send('PATCH', `${KINDS.Project}/later`, access('system:admin'))).status).toBe(200);
  expect((await send('PATCH', `${KINDS.Project}/later`, { spec: { displayName: 'x' } })).status).toBe(200);
});

test('objects belong to their creator and keep their owner', async () => {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const { spec } = await made(kind, { name: 'owned' }, { displayName: 'x' }, 'anna');
    expect([kind, spec.owner]).toEqual([kind, { user: 'anna' }]);
    const patched = await send('PATCH', `${KINDS[kind]}/owned`, { spec: { owner: null } });
    expect((JSON.parse(patched.text) as Body).spec.owner).toEqual({ user: 'anna' });
  }
  const { spec } = await made('Project', { name: 'of-team' }, {}, 'management:team:ops');
  expect(spec.owner).toEqual({ team: 'ops' });
});

describe('instances', () => {
  test.each([
    ['SpaceInstance', 'if it allows none, allow one with "platform allow cluster NAME --project PROJECT"'],
    ['VirtualClusterInstance', 'import it with "platform import vcluster"'],
  ] as const)('a %s that nothing creates says what to do, as it is made', async (kind, advice) => {
    const { status } = await made(kind, { name: 'nowhere' }, {});
    const said = { reason: 'NoProvisioner', message: expect.stringContaining(advice) };
    expect(status).toEqual({
      phase: 'Pending',
      ...said,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', ...said }),
      ]),
    });
  });

  test('the server chooses a place in the cluster, which stays', async () => {
    await made('Project', { name: 'web' }, { allowedClusters: [{ name: 'c' }] });
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'loft-p-web' } });
    const instances = `${API}/namespaces/loft-p-web/virtualclusterinstances`;
    const body = { metadata: { name: 'a.b' }, spec: place({ cluster: 'c' }) };
    const { spec, status } = JSON.parse((await send('POST', instances, body)).text) as Body;
    expect(status).toMatchObject({ reason: 'NoProvisioner' });
    const ref = spec.clusterRef as Record<string, string>;
    expect(ref).toMatchObject({ cluster: 'c', virtualCluster: 'a-b' });
    expect(ref.namespace).toMatch(/^instance-a-b-[0-9a-f]{10}$/);
    const path = `${instances}/a.b`;
    const dropped = await send('PATCH', path, { spec: { clusterRef: null } });
    expect((JSON.parse(dropped.text) as Body).spec.clusterRef).toEqual(ref);
    for (const member of ['cluster', 'namespace', 'virtualCluster']) {
      const answer = await send('PATCH', path, { spec: { clusterRef: { [member]: 'other' } } });
      expect([answer.status, findings(answer)]).toEqual([
        422,
        [`spec.clusterRef.${member}: FieldValueInvalid`],
      ]);
    }
  });
});

test('a cluster says where its kubeconfig is', async () => {
  const { spec, status } = await made('Cluster', { name: 'c1' }, { config: { secretName: 's' } });
  expect(spec.config).toEqual({ secretName: 's', secretNamespace: 'management-system', key: 'config' });
  expect(status).toMatchObject({ phase: 'Pending' });
});
