/** Connected clusters: a second server of this project acts as the cluster. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { VIEWER_TOKEN, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const CLUSTERS = '/apis/management.svc.example/v1/clusters';
const SECRETS = '/api/v1/namespaces/management-system/secrets';
const MERGE = { 'content-type': 'application/merge-patch+json' };

interface Status {
  phase?: string;
  online?: boolean;
  reason?: string;
  message?: string;
  version?: string;
  latencyMilliseconds?: number;
  agent?: object;
  conditions?: { type: string; status: string; reason: string }[];
}

let server: ServerFixture;
let connected: ServerFixture;
let admin: Client;

beforeAll(async () => {
  [server, connected] = await Promise.all([
    startServer({ controllers: 'cluster-controller' }),
    startServer({ controllers: '-cluster-controller' }),
  ]);
  admin = client(server);
});
afterAll(() => Promise.all([server.remove(), connected.remove()]));

const codeOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
const kubeconfig = (): string => readFileSync(connected.kubeconfig, 'utf8');

function secret(name: string, text: string): object {
  const data = { config: Buffer.from(text).toString('base64') };
  return { kind: 'Secret', apiVersion: 'v1', metadata: { name }, data };
}

function cluster(name: string, config: object = { secretName: name }): object {
  const apiVersion = 'management.svc.example/v1';
  return { kind: 'Cluster', apiVersion, metadata: { name }, spec: { config } };
}

async function connect(name: string, text?: string): Promise<void> {
  if (text !== undefined) expect(await codeOf(admin.send('POST', SECRETS, secret(name, text)))).toBe(201);
  expect(await codeOf(admin.send('POST', CLUSTERS, cluster(name)))).toBe(201);
}

const changeSecret = (name: string, text: string): Promise<Answer> =>
  admin.send('PATCH', `${SECRETS}/${name}`, secret(name, text), MERGE);

/** Waits until the status has this reason, and returns the status. */
const statusWith = (name: string, reason: string): Promise<Status> =>
  eventually(`${name} is ${reason}`, async () => {
    const { status } = JSON.parse((await admin.send('GET', `${CLUSTERS}/${name}`)).text) as {
      status?: Status;
    };
    return status?.reason === reason && status;
  });

describe('a connected cluster', () => {
  test('is online while it answers to its kubeconfig', async () => {
    await connect('east', kubeconfig());
    const status = await statusWith('east', 'Online');
    expect(status).toMatchObject({
      phase: 'Ready',
      online: true,
      message: expect.stringContaining('is of version v'),
      version: expect.stringMatching(/^v1\.\d+\.\d+/),
      latencyMilliseconds: expect.any(Number),
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'KubeconfigAccepted', status: 'True' }),
        expect.objectContaining({ type: 'Online', status: 'True' }),
      ]),
    });
    await changeSecret('east', kubeconfig().replace(/token: .*/, 'token: mk_wrong'));
    const refused = await statusWith('east', 'Unauthorized');
    expect(refused).toMatchObject({ phase: 'Failed', online: false, version: status.version });
    expect(refused).not.toHaveProperty('latencyMilliseconds');
    expect(refused).not.toHaveProperty('agent');
    await changeSecret('east', kubeconfig());
    await statusWith('east', 'Online');
  });

  test('is in tables with its version and its latency', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { text } = await admin.send('GET', `${CLUSTERS}/east`, undefined, { accept });
    const table = JSON.parse(text) as {
      columnDefinitions: { name: string; priority: number }[];
      rows: { cells: unknown[] }[];
    };
    const shown = table.columnDefinitions.map(({ name, priority }, at) => [
      name,
      { priority, cell: table.rows[0]?.cells[at] },
    ]);
    expect(Object.fromEntries(shown)).toMatchObject({
      Version: { priority: 0, cell: expect.stringMatching(/^v1\./) },
      Latency: { priority: 1, cell: expect.stringMatching(/^\d+ms$/) },
      Agent: { priority: 1, cell: '' },
    });
  });

  test('is named in the error when it is away', async () => {
    await connect('away', kubeconfig().replace(`:${connected.port}`, ':1'));
    expect(await statusWith('away', 'Unreachable')).toMatchObject({
      phase: 'Failed',
      online: false,
      message: 'cluster "away" cannot be reached: ECONNREFUSED',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'KubeconfigAccepted', status: 'True' }),
        expect.objectContaining({ type: 'Online', status: 'False' }),
      ]),
    });
  });

  test('without a kubeconfig waits for one', async () => {
    expect(await codeOf(admin.send('POST', CLUSTERS, cluster('late')))).toBe(201);
    expect((await statusWith('late', 'KubeconfigRefused')).message).toBe(
      'cluster "late" has no kubeconfig: there is no Secret management-system/late',
    );
    expect(await codeOf(admin.send('POST', SECRETS, secret('late', kubeconfig())))).toBe(201);
    await statusWith('late', 'Online');
    const none = { ...cluster('none'), spec: {} };
    expect(await codeOf(admin.send('POST', CLUSTERS, none))).toBe(201);
    expect((await statusWith('none', 'NoKubeconfig')).phase).toBe('Pending');
  });

  test('is refused if its kubeconfig would run a command, and nothing runs', async () => {
    const marker = join(server.directory, 'it-ran');
    const command = `exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [${marker}]}`;
    await connect('planted', kubeconfig().replace(/token: .*/, command));
    const status = await statusWith('planted', 'KubeconfigRefused');
    expect(status).toMatchObject({ phase: 'Failed', online: false });
    expect(status.message).toContain('users[0].user.exec: Forbidden');
    expect(existsSync(marker)).toBe(false);
  });
});

describe('a user who names a Secret as the kubeconfig of a cluster', () => {
  let viewer: Client;
  beforeAll(async () => {
    viewer = client(server, VIEWER_TOKEN);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const role = (name: string, rules: object[]): object => ({
      kind: 'ClusterRole',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name },
      rules,
    });
    const binding = {
      kind: 'ClusterRoleBinding',
      apiVersion: 'rbac.authorization.k8s.io/v1',
      metadata: { name: 'viewer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'clusters' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
    };
    const rules = [
      { verbs: ['*'], apiGroups: ['management.svc.example'], resources: ['clusters', 'clusters/status'] },
      { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] },
    ];
    expect(await codeOf(admin.send('POST', `${rbac}/clusterroles`, role('clusters', rules)))).toBe(201);
    expect(await codeOf(admin.send('POST', `${rbac}/clusterrolebindings`, binding))).toBe(201);
    expect(await codeOf(admin.send('POST', CLUSTERS, cluster('guarded')))).toBe(201);
  });

  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const add = [{ op: 'add', path: '/spec/config/secretName', value: 'theirs' }];
  test.each<[string, string, unknown, Record<string, string>, number]>([
    ['POST', '', cluster('new', { secretName: 'theirs' }), {}, 403],
    ['POST', '', cluster('new', { secretName: 'mine', secretNamespace: 'default' }), {}, 201],
    ['PATCH', '/guarded', { spec: { config: { secretName: 'theirs' } } }, MERGE, 403],
    ['PATCH', '/guarded', { spec: { config: { key: 'other' } } }, MERGE, 403],
    ['PATCH', '/guarded', { spec: { config: { secretNamespace: 'default' } } }, MERGE, 403],
    ['PATCH', '/guarded', add, { 'content-type': 'application/json-patch+json' }, 403],
    ['PATCH', '/guarded?fieldManager=m&force=true', cluster('guarded', { secretName: 'theirs' }), apply, 403],
    ['PATCH', '/applied?fieldManager=m', cluster('applied', { secretName: 'theirs' }), apply, 403],
    ['PATCH', '/guarded/status', { spec: { config: { secretName: 'theirs' } } }, MERGE, 200],
    ['PATCH', '/guarded', { spec: { displayName: 'shown', config: { secretName: 'guarded' } } }, MERGE, 200],
    ['PATCH', '/guarded', { spec: { config: { secretName: 'mine' } } }, MERGE, 200],
    ['PATCH', '/guarded', { spec: { config: null } }, MERGE, 200],
  ])('is allowed to get it: %s %s %j %j: %d', async (method, path, body, headers, code) => {
    expect(await codeOf(viewer.send(method, `${CLUSTERS}${path}`, body, headers))).toBe(code);
  });

  test('changes nothing by refused requests, nor by writing the status', async () => {
    const { text } = await admin.send('GET', CLUSTERS);
    expect(text).not.toContain('theirs');
  });
});
