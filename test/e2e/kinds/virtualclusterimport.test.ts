/**
 * Importing virtual clusters: the checks, the required rights, and that only one of several concurrent imports
 * succeeds. A second server acts as the cluster.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN, sendAs, type SendAs } from '../../fixtures/clients/impersonation.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const PROJECTS = 6;
const PARALLEL = 50;
const instances = (project: string, name = ''): string =>
  `${API}/namespaces/loft-p-${project}/virtualclusterinstances${name === '' ? '' : `/${name}`}`;
const importInto = (project: string): string => `${API}/projects/${project}/importvirtualcluster`;
const source = (name: string, more: object = {}): object => ({
  sourceVirtualCluster: { name, namespace: `vcluster-${name}`, cluster: 'east', ...more },
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const messageIn = ({ text }: Answer): string => (JSON.parse(text) as { message: string }).message;

interface Instance {
  metadata: { annotations?: Record<string, string> };
  spec: { clusterRef?: object; owner?: object };
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

/** The cluster that hosts the virtual clusters. */
let host: ServerFixture;
let sendHost: SendAs;
beforeAll(async () => {
  host = await startServer();
  sendHost = sendAs(host);
});
afterAll(() => host.remove());

/** Creates the objects of a virtual cluster in its host cluster. */
async function virtualCluster(name: string, config = readFileSync(host.kubeconfig, 'utf8')): Promise<void> {
  const namespace = `vcluster-${name}`;
  await sendHost(ADMIN, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await sendHost(ADMIN, 'POST', `/api/v1/namespaces/${namespace}/secrets`, {
    metadata: { name: `vc-${name}` },
    data: { config: base64(config) },
  });
}

describe('the import of a virtual cluster', () => {
  let running: EngineServer;
  let send: SendAs;

  beforeAll(async () => {
    running = await startEmbedded();
    send = sendAs(running.server);
    await made('/api/v1/namespaces/management-system/secrets', {
      metadata: { name: 'east' },
      data: { config: base64(readFileSync(host.kubeconfig, 'utf8')) },
    });
    await made('/api/v1/namespaces/management-system/secrets', {
      metadata: { name: 'gone' },
      data: { config: base64(readFileSync(host.kubeconfig, 'utf8').replace(/:\d+$/m, ':1')) },
    });
    for (const name of ['east', 'gone'])
      await made(`${API}/clusters`, { metadata: { name }, spec: { config: { secretName: name } } });
    for (let at = 0; at < PROJECTS; at += 1) {
      const allowedClusters = [{ name: 'east' }, { name: 'gone' }, { name: 'none' }];
      await made(`${API}/projects`, { metadata: { name: `p${at}` }, spec: { allowedClusters } });
    }
    await made(`${API}/projects`, { metadata: { name: 'strict' } });
  });
  afterAll(() => running.remove());

  async function made(path: string, body: object): Promise<void> {
    const answer = await send(ADMIN, 'POST', path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  }

  const doImport = (project: string, body: object, user = ADMIN): Promise<Answer> =>
    send(user, 'POST', importInto(project), body);
  async function found(project: string, name: string): Promise<Instance | undefined> {
    const answer = await send(ADMIN, 'GET', instances(project, name));
    return answer.status === 200 ? (JSON.parse(answer.text) as Instance) : undefined;
  }

  test('makes an instance of it, and labels its namespace', async () => {
    await virtualCluster('a');
    const answer = await doImport('p0', source('a', { importName: 'imported' }));
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      201,
      { kind: 'ProjectImportVirtualCluster', ...source('a', { importName: 'imported' }) },
    ]);
    const instance = await found('p0', 'imported');
    expect(instance).toMatchObject({
      metadata: { annotations: { 'management.svc.example/is-imported': 'true' } },
      spec: {
        clusterRef: { cluster: 'east', namespace: `vcluster-a`, virtualCluster: 'a' },
        owner: { user: 'admin' },
      },
    });
    await eventually('its label', async () => labelled(await found('p0', 'imported')));
    expect((await found('p0', 'imported'))?.status?.phase).toBe('Ready');
    const namespace = await sendHost(ADMIN, 'GET', `/api/v1/namespaces/vcluster-a`);
    expect((JSON.parse(namespace.text) as { metadata: { labels: object } }).metadata.labels).toMatchObject({
      'management.svc.example/vcluster-instance-name': 'imported',
      'management.svc.example/vcluster-instance-namespace': 'loft-p-p0',
      'management.svc.example/vcluster-instance-project': 'p0',
    });
  });

  const labelled = (instance: Instance | undefined): boolean =>
    (instance?.status?.conditions ?? []).some(
      ({ type, status }) => type === 'HostLabelled' && status === 'True',
    );

  test('that is marked as imported later says no more that nothing creates it', async () => {
    await virtualCluster('later');
    const clusterRef = { cluster: 'east', namespace: 'vcluster-later', virtualCluster: 'later' };
    const made = await send(ADMIN, 'POST', instances('p0'), {
      metadata: { name: 'later' },
      spec: { clusterRef },
    });
    expect(JSON.parse(made.text)).toMatchObject({ status: { reason: 'NoProvisioner' } });
    const annotations = { 'management.svc.example/is-imported': 'true' };
    const marked = await send(ADMIN, 'PATCH', instances('p0', 'later'), { metadata: { annotations } });
    expect(marked.status).toBe(200);
    await eventually('its label', async () => labelled(await found('p0', 'later')));
    const { status } = (await found('p0', 'later')) as Instance;
    expect(status).toMatchObject({ phase: 'Ready' });
    expect(status).not.toHaveProperty('reason');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
  });

  test('is refused where it is imported already, by this path or directly, until its instance is gone', async () => {
    await virtualCluster('b');
    expect((await doImport('p0', source('b'))).status).toBe(201);
    const again = await doImport('p1', source('b'));
    expect([again.status, messageIn(again)]).toEqual([409, expect.stringContaining('is imported already')]);
    const clusterRef = { cluster: 'east', namespace: `vcluster-b`, virtualCluster: 'b' };
    const direct = { metadata: { name: 'direct' }, spec: { clusterRef } };
    expect((await send(ADMIN, 'POST', instances('p1'), direct)).status).toBe(409);
    expect((await send(ADMIN, 'DELETE', instances('p0', 'b'))).status).toBe(200);
    expect((await doImport('p1', source('b'))).status).toBe(201);
  });

  test('is refused where the name is taken', async () => {
    await virtualCluster('c');
    await made(instances('p0'), { metadata: { name: 'taken' } });
    const answer = await doImport('p0', source('c', { importName: 'taken' }));
    expect([answer.status, messageIn(answer)]).toEqual([409, expect.stringContaining('already exists')]);
  });

  const at = (name: string): string => `sourceVirtualCluster.${name}`;
  test.each<[string, string, object, number, RegExp]>([
    [
      'nothing named',
      'p0',
      {},
      422,
      new RegExp(`${at('name')}: Required.*${at('namespace')}.*${at('cluster')}`),
    ],
    ['a bad name', 'p0', source('A_b', { namespace: 'n' }), 422, new RegExp(`${at('name')}: Invalid`)],
    [
      'a bad importName',
      'p0',
      source('a', { importName: 'A' }),
      422,
      new RegExp(`${at('importName')}: Invalid`),
    ],
    [
      'kube-system',
      'p0',
      source('a', { namespace: 'kube-system' }),
      422,
      new RegExp(`${at('namespace')}: Forb`),
    ],
    ['default', 'p0', source('a', { namespace: 'default' }), 422, new RegExp(`${at('namespace')}: Forb`)],
    [
      'management-system',
      'p0',
      source('a', { namespace: 'management-system' }),
      422,
      /nothing is imported from/,
    ],
    [
      'a cluster that is not there',
      'p0',
      source('a', { cluster: 'none' }),
      404,
      /clusters.* "none" not found/,
    ],
    ['a project that is not there', 'none', source('a'), 404, /projects.* "none" not found/],
    ['a cluster that is not allowed', 'strict', source('a'), 403, /allowedClusters/],
    ['no virtual cluster', 'p0', source('none'), 422, /there is no Secret "vc-none" in namespace/],
    ['a cluster that does not answer', 'p0', source('a', { cluster: 'gone' }), 504, /cluster "gone"/],
  ])('is refused: %s', async (_what, project, body, status, message) => {
    const answer = await doImport(project, body);
    expect([answer.status, messageIn(answer)]).toEqual([status, expect.stringMatching(message)]);
  });

  test('of a virtual cluster whose kubeconfig would run something is refused', async () => {
    const config = { users: [{ name: 'u', user: { exec: { command: 'touch', args: ['/tmp/never'] } } }] };
    await virtualCluster('exec', JSON.stringify({ kind: 'Config', apiVersion: 'v1', ...config }));
    expect((await doImport('p0', source('exec'))).status).toBe(400);
    expect(await found('p0', 'exec')).toBeUndefined();
  });

  test('takes the rights to import from the cluster and to create instances', async () => {
    await virtualCluster('d');
    const RBAC = '/apis/rbac.authorization.k8s.io/v1';
    const grant = async (name: string, rule: object): Promise<void> => {
      const rules = [{ apiGroups: ['management.svc.example'], ...rule }];
      await send(ADMIN, 'POST', `${RBAC}/clusterroles`, { metadata: { name }, rules });
      await send(ADMIN, 'POST', `${RBAC}/clusterrolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'importer' }],
      });
    };
    const answer = (): Promise<Answer> => doImport('p2', source('d'), 'importer');
    expect((await answer()).status).toBe(403);
    await grant('i1', { resources: ['projects/importvirtualcluster'], verbs: ['create'] });
    expect(messageIn(await answer())).toMatch(/cannot import resource "clusters"/);
    await grant('i2', { resources: ['clusters'], resourceNames: ['east'], verbs: ['import'] });
    expect(messageIn(await answer())).toMatch(/cannot create resource "virtualclusterinstances"/);
    await grant('i3', { resources: ['virtualclusterinstances'], verbs: ['create'] });
    expect((await answer()).status).toBe(201);
  });

  test('an instance cannot be placed where another is', async () => {
    const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/loft-p-p3';
    const rules = [{ apiGroups: ['management.svc.example'], resources: ['*'], verbs: ['*'] }];
    await send(ADMIN, 'POST', `${RBAC}/roles`, { metadata: { name: 'all' }, rules });
    await send(ADMIN, 'POST', `${RBAC}/rolebindings`, {
      metadata: { name: 'all' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'all' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'member' }],
    });
    const write = (name: string, clusterRef: object): Promise<Answer> =>
      send('member', 'POST', instances('p3'), { metadata: { name }, spec: { clusterRef } });
    expect((await write('own', { cluster: 'east' })).status).toBe(201);
    const named = await write('named', {
      cluster: 'east',
      namespace: 'vcluster-other',
      virtualCluster: 'other',
    });
    expect([named.status, messageIn(named)]).toEqual([403, expect.stringContaining('cannot import')]);
    await send('member', 'POST', instances('p3'), { metadata: { name: 'later' } });
    const patch = { spec: { clusterRef: { cluster: 'east', namespace: 'vcluster-other' } } };
    expect((await send('member', 'PATCH', instances('p3', 'later'), patch)).status).toBe(403);
  });

  test('a dry run imports nothing', async () => {
    await virtualCluster('dry');
    expect((await send(ADMIN, 'POST', `${importInto('p0')}?dryRun=All`, source('dry'))).status).toBe(201);
    expect(await found('p0', 'dry')).toBeUndefined();
  });

  test(`of ${PARALLEL} concurrent imports, one succeeds`, async () => {
    await virtualCluster('e');
    const answers = await Promise.all(
      Array.from({ length: PARALLEL }, (_, n) =>
        doImport(`p${n % PROJECTS}`, source('e', { importName: `e-${n}` })),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(PARALLEL - 1).fill(409)]);
  });
});
