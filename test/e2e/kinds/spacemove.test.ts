/**
 * Moving spaces between projects: the required rights, the objects that move along, and that the move is atomic for
 * readers.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, ServerFixture } from '../../fixtures/servers/server.js';
import { client, eventsOf } from '../../fixtures/clients/client.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN, sendAs, type SendAs } from '../../fixtures/clients/impersonation.js';
import type { SeenEvent } from '../../fixtures/clients/watchevents.js';

const API = '/apis/management.svc.example/v1';
const spaces = (namespace: string, name = ''): string =>
  `${API}/namespaces/${namespace}/spaceinstances${name === '' ? '' : `/${name}`}`;
const migrate = (project: string): string => `${API}/projects/${project}/migratespaceinstance`;
const request = (name: string, namespace = 'loft-p-web'): object => ({
  sourceSpaceInstance: { name, namespace },
});

interface Space {
  metadata: {
    uid: string;
    resourceVersion: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    managedFields?: { manager: string }[];
  };
  spec: Record<string, unknown>;
}

const messageIn = ({ text }: Answer): string => (JSON.parse(text) as { message: string }).message;

describe.each(ENGINES)('on %s', (_engine, start) => {
  let running: EngineServer;
  let server: ServerFixture;
  let send: SendAs;

  beforeAll(async () => {
    running = await start();
    ({ server } = running);
    send = sendAs(server);
    for (const [name, allowedClusters] of [
      ['web', [{ name: '*' }]],
      ['shop', [{ name: 'east' }]],
    ] as const) {
      await made('/projects', { metadata: { name }, spec: { allowedClusters } });
      await send(ADMIN, 'POST', '/api/v1/namespaces', { metadata: { name: `loft-p-${name}` } });
    }
  });
  afterAll(() => running.remove());

  async function made(path: string, body: object): Promise<Space> {
    const answer = await send(ADMIN, 'POST', API + path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as Space;
  }

  const space = (name: string, more: { metadata?: object; spec?: object } = {}): Promise<Space> =>
    made('/namespaces/loft-p-web/spaceinstances', {
      metadata: { name, ...more.metadata },
      spec: { displayName: name, ...more.spec },
    });
  const exists = async (namespace: string, name: string): Promise<boolean> =>
    (await send(ADMIN, 'GET', spaces(namespace, name))).status === 200;

  test('everything but uid and creation time goes along', async () => {
    const before = await space('whole', {
      metadata: {
        labels: { tier: 'gold' },
        annotations: { note: 'x' },
        finalizers: ['management.svc.example/space'],
      },
      spec: { clusterRef: { cluster: 'east' }, access: [{ verbs: ['get'], users: ['anna'] }] },
    });
    const answer = await send(ADMIN, 'POST', migrate('shop'), request('whole'));
    expect(answer.status).toBe(201);
    expect(JSON.parse(answer.text)).toMatchObject({
      kind: 'ProjectMigrateSpaceInstance',
      ...request('whole'),
    });
    expect(await exists('loft-p-web', 'whole')).toBe(false);
    const after = JSON.parse((await send(ADMIN, 'GET', spaces('loft-p-shop', 'whole'))).text) as Space;
    expect(after.spec).toEqual(before.spec);
    expect(after.metadata).toMatchObject({
      labels: { tier: 'gold' },
      annotations: { note: 'x', 'management.svc.example/moved-from': 'loft-p-web/whole' },
      finalizers: ['management.svc.example/space'],
    });
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.metadata.managedFields?.map(({ manager }) => manager)).toEqual(
      before.metadata.managedFields?.map(({ manager }) => manager),
    );
    expect((await send('anna', 'GET', spaces('loft-p-shop', 'whole'))).status).toBe(200);
    expect((await send('anna', 'GET', spaces('loft-p-web', 'whole'))).status).toBe(403);
  });

  const PATH = 'sourceSpaceInstance';
  test.each<[string, object, number, RegExp]>([
    ['nothing named', {}, 422, /sourceSpaceInstance.name: Required.*sourceSpaceInstance.namespace: Required/],
    ['no namespace', { [PATH]: { name: 'a' } }, 422, /sourceSpaceInstance.namespace: Required/],
    ['a namespace of no project', request('a', 'default'), 422, /must be the namespace of a project/],
    ['the prefix alone', request('a', 'loft-p-'), 422, /must be the namespace of a project/],
    ['onto itself', request('a', 'loft-p-shop'), 422, /of another project than the one it is moved to/],
    ['a project that is not there', request('a', 'loft-p-none'), 404, /projects.* "none" not found/],
    ['a space that is not there', request('none'), 404, /spaceinstances.* "none" not found/],
  ])('is refused: %s', async (_what, body, status, message) => {
    const answer = await send(ADMIN, 'POST', migrate('shop'), body);
    expect(answer.status).toBe(status);
    expect(messageIn(answer)).toMatch(message);
  });

  test('into a project that is not there is refused', async () => {
    await space('homeless');
    expect((await send(ADMIN, 'POST', migrate('none'), request('homeless'))).status).toBe(404);
    expect(await exists('loft-p-web', 'homeless')).toBe(true);
  });

  test.each<[string, { metadata?: object; spec?: object }, number, RegExp]>([
    ['a foreign finalizer', { metadata: { finalizers: ['example.com/hold'] } }, 409, /example.com\/hold/],
    [
      'a cluster that the project does not allow',
      { spec: { clusterRef: { cluster: 'west' } } },
      403,
      /"west"/,
    ],
    [
      'an owner that would stay behind',
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u' }] } },
      409,
      /ConfigMap "c"/,
    ],
    [
      'an owner of another group than the kind it is called as',
      {
        metadata: {
          ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Project', name: 'p', uid: 'u' }],
        },
      },
      409,
      /Project "p"/,
    ],
  ])('is refused for %s, and nothing has moved', async (what, more, status, message) => {
    const name = what.replace(/[^a-z]+/g, '-');
    await space(name, more);
    const answer = await send(ADMIN, 'POST', migrate('shop'), request(name));
    expect([answer.status, messageIn(answer)]).toEqual([status, expect.stringMatching(message)]);
    expect([await exists('loft-p-web', name), await exists('loft-p-shop', name)]).toEqual([true, false]);
  });

  test('is refused while something depends on it', async () => {
    const { metadata } = await space('owner');
    await send(ADMIN, 'POST', '/api/v1/namespaces/loft-p-web/configmaps', {
      metadata: {
        name: 'dependent',
        ownerReferences: [
          {
            apiVersion: 'management.svc.example/v1',
            kind: 'SpaceInstance',
            name: 'owner',
            uid: metadata.uid,
          },
        ],
      },
    });
    const answer = await send(ADMIN, 'POST', migrate('shop'), request('owner'));
    expect([answer.status, answer.text]).toEqual([
      409,
      expect.stringContaining('configmaps \\"dependent\\"'),
    ]);
  });

  test('is refused for one that is being deleted, and where the name is taken', async () => {
    await space('going', { metadata: { finalizers: ['management.svc.example/space'] } });
    await send(ADMIN, 'DELETE', spaces('loft-p-web', 'going'));
    const going = await send(ADMIN, 'POST', migrate('shop'), request('going'));
    expect([going.status, going.text]).toEqual([409, expect.stringContaining('it is being deleted')]);
    await space('twice');
    await made('/namespaces/loft-p-shop/spaceinstances', { metadata: { name: 'twice' } });
    const taken = await send(ADMIN, 'POST', migrate('shop'), request('twice'));
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('AlreadyExists')]);
  });

  test('takes rights on both sides', async () => {
    await space('guarded');
    const role = (name: string, namespace: string, verbs: string[], resource = 'spaceinstances'): object => ({
      metadata: { name, namespace },
      rules: [{ apiGroups: ['management.svc.example'], resources: [resource], verbs }],
    });
    const RBAC = '/apis/rbac.authorization.k8s.io/v1';
    const grant = async (namespace: string, name: string, verbs: string[]): Promise<void> => {
      const base = `${RBAC}/namespaces/${namespace}`;
      await send(ADMIN, 'POST', `${base}/roles`, role(name, namespace, verbs));
      await send(ADMIN, 'POST', `${base}/rolebindings`, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mover' }],
      });
    };
    const move = (): Promise<Answer> => send('mover', 'POST', migrate('shop'), request('guarded'));
    expect((await move()).status).toBe(403);
    await send(ADMIN, 'POST', `${RBAC}/clusterroles`, {
      ...role('mover', '', ['create'], 'projects/migratespaceinstance'),
      metadata: { name: 'mover' },
    });
    await send(ADMIN, 'POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'mover' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'mover' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mover' }],
    });
    expect((await move()).text).toMatch(/cannot delete resource/);
    await grant('loft-p-web', 'mover-delete', ['delete']);
    expect((await move()).text).toMatch(/cannot use resource/);
    await grant('loft-p-web', 'mover-use', ['use']);
    expect((await move()).text).toMatch(/cannot create resource/);
    await grant('loft-p-shop', 'mover-create', ['create']);
    expect((await move()).status).toBe(201);
  });

  test('a dry run moves nothing', async () => {
    await space('dry');
    const answer = await send(ADMIN, 'POST', `${migrate('shop')}?dryRun=All`, request('dry'));
    expect(answer.status).toBe(201);
    expect([await exists('loft-p-web', 'dry'), await exists('loft-p-shop', 'dry')]).toEqual([true, false]);
  });

  test('of many concurrent moves, one succeeds', async () => {
    for (const name of ['one', 'two', 'three', 'four']) {
      await made('/projects', { metadata: { name }, spec: {} });
      await send(ADMIN, 'POST', '/api/v1/namespaces', { metadata: { name: `loft-p-${name}` } });
    }
    await space('contended');
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((to) => send(ADMIN, 'POST', migrate(to), request('contended'))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
  });

  test('watchers see one delete and one create, next to each other, also when cut between them', async () => {
    const { metadata } = await space('watched');
    const path = `${API}/spaceinstances?watch=true&resourceVersion=${metadata.resourceVersion}`;
    await send(ADMIN, 'POST', migrate('shop'), request('watched'));
    const seen = await eventsOf<SeenEvent['object']>(client(server), path, 2);
    expect(seen.map(({ type, object }) => [type, object.metadata.namespace])).toEqual([
      ['DELETED', 'loft-p-web'],
      ['ADDED', 'loft-p-shop'],
    ]);
    const between = seen[0]?.object.metadata.resourceVersion ?? '';
    const rest = await eventsOf(
      client(server),
      path.replace(/resourceVersion=.*/, `resourceVersion=${between}`),
      1,
    );
    expect(rest).toEqual(seen.slice(1));
  });
});
