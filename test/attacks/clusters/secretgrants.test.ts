/**
 * Secrets leave for a connected cluster only if they say so: what its Secrets ask for, and what the owners of spaces
 * may read, is no reason. A second server of this project acts as the cluster, whose administrator is hostile.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  API,
  PREFIX,
  PROJECT_SECRETS,
  SHARED,
  SecretSteps,
  base64,
  fromShared,
  type Clusters,
} from '../../fixtures/agents/secretsteps.js';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const CONTROLLERS = 'space-provisioner-controller,cluster-secret-sync-controller,namespace-controller';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const data = { password: base64('of default') };

describe('secrets for a connected cluster', () => {
  let engine: EngineServer;
  let connected: ServerFixture;
  let clusters: Clusters;
  let steps: SecretSteps;
  let inside: string;
  let made = 0;

  beforeAll(async () => {
    [engine, connected] = await Promise.all([
      startEmbedded({ controllers: CONTROLLERS }),
      startServer({ controllers: 'namespace-controller' }),
    ]);
    clusters = { admin: impersonating(engine.server), connected: impersonating(connected) };
    steps = new SecretSteps(() => clusters);
    const config = readFileSync(connected.kubeconfig).toString('base64');
    const secrets = '/api/v1/namespaces/management-system/secrets';
    await steps.create(steps.admin, secrets, { metadata: { name: 'east' }, data: { config } });
    const spec = { config: { secretName: 'east' } };
    await steps.create(steps.admin, `${API}/clusters`, { metadata: { name: 'east' }, spec });
    await steps.create(steps.admin, `${API}/users`, { metadata: { name: 'anna' } });
    await steps.create(steps.admin, `${API}/teams`, { metadata: { name: 'web' }, spec: { users: ['anna'] } });
    const allowedClusters = [{ name: 'east' }];
    await steps.create(steps.admin, `${API}/projects`, {
      metadata: { name: 'web' },
      spec: { allowedClusters },
    });
    inside = await steps.createSpace('a', 'anna');
  });
  afterAll(() => Promise.all([engine?.remove(), connected?.remove()]));

  /** Creates a SharedSecret, and a Secret in the cluster that asks for it. Returns their name. */
  async function asked(spec: object): Promise<string> {
    const name = `s${(made += 1)}`;
    await steps.create(steps.admin, SHARED, { metadata: { name }, spec: { data, ...spec } });
    await steps.createLabelled(inside, name, fromShared(name));
    return name;
  }

  test.each<[string, object]>([
    ['the owner of the space may get', { access: [{ verbs: ['get', 'list', 'watch'], users: ['anna'] }] }],
    ['everybody may get', { access: [{ verbs: ['get'], users: ['*'], teams: ['*'] }] }],
    ['the owner of the space owns', { owner: { user: 'anna' } }],
    ['a team of the owner owns', { owner: { team: 'web' } }],
    ['another may sync', { access: [{ verbs: ['sync'], users: ['bob'], teams: ['ops'] }] }],
    [
      'names sync as a subresource',
      { access: [{ verbs: ['update'], subresources: ['sync'], users: ['anna'] }] },
    ],
    ['another project may have', { access: [{ verbs: ['sync'], projects: ['other'] }] }],
  ])('a cluster does not get a secret that %s', async (_what, spec) => {
    const name = await asked(spec);
    expect((await steps.waitForStatus(inside, name, 'Forbidden')).data).toBeUndefined();
  });

  test('roles do not make a secret leave', async () => {
    const rules = [{ apiGroups: ['management.svc.example'], resources: ['*'], verbs: ['*'] }];
    await steps.create(steps.admin, `${RBAC}/clusterroles`, { metadata: { name: 'wide' }, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'wide' };
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'anna' }];
    await steps.create(steps.admin, `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'wide' },
      roleRef,
      subjects,
    });
    const name = await asked({});
    expect((await steps.waitForStatus(inside, name, 'Forbidden')).data).toBeUndefined();
    await steps.admin.send('DELETE', `${RBAC}/clusterrolebindings/wide`);
  });

  test.each<[string, object]>([
    ['the owner of the space', { access: [{ verbs: ['sync'], users: ['anna'] }] }],
    ['a team of the owner', { access: [{ verbs: ['sync'], teams: ['web'] }] }],
    ['everybody', { access: [{ verbs: ['sync'], users: ['*'] }] }],
    ['the owner of the space with all verbs', { access: [{ verbs: ['*'], users: ['anna'] }] }],
    ['the project of the space', { access: [{ verbs: ['sync'], projects: ['web'] }] }],
  ])('a secret leaves that gives sync to %s, and is taken back with it', async (_what, spec) => {
    const name = await asked(spec);
    await steps.waitForData(inside, name, data);
    await steps.patchShared(name, { access: [{ verbs: ['get'], users: ['anna'], teams: ['web'] }] });
    await steps.waitForData(inside, name, {});
  });

  test('the annotations of a cluster do not make a secret leave', async () => {
    const name = `s${(made += 1)}`;
    await steps.create(steps.admin, SHARED, { metadata: { name }, spec: { data, owner: { user: 'anna' } } });
    const annotations = Object.fromEntries(
      ['synced-from-uid', 'synced-from-owner', 'synced-from-version', 'synced-for'].map((one) => [
        PREFIX + one,
        'x',
      ]),
    );
    await steps.create(steps.connected, `/api/v1/namespaces/${inside}/secrets`, {
      metadata: { name, labels: fromShared(name), annotations },
    });
    const { data: found = {} } = await steps.waitForStatus(inside, name, 'Revoked');
    expect(found).toEqual({});
  });

  test('granting sync takes sync, also by a project or a space that is named', async () => {
    const rights = [{ verbs: ['get', 'update', 'patch'], users: ['eve'] }];
    const eve = impersonating(engine.server, 'eve', ['system:authenticated']);
    const shared = { metadata: { name: 'guarded' }, spec: { data, access: rights } };
    await steps.create(steps.admin, SHARED, shared);
    await steps.create(steps.admin, PROJECT_SECRETS, shared);
    const more = (rule: object): object => ({ spec: { access: [...rights, rule] } });
    const changes: [string, object][] = [
      [`${SHARED}/guarded`, more({ verbs: ['sync'], users: ['eve'] })],
      [`${SHARED}/guarded`, more({ verbs: ['sync'], projects: ['web'] })],
      [`${SHARED}/guarded`, more({ verbs: ['*'], users: ['eve'] })],
      [`${PROJECT_SECRETS}/guarded`, { spec: { sync: { spaces: ['a'] } } }],
    ];
    for (const [path, change] of changes)
      expect([change, await eve.send('PATCH', path, change)]).toMatchObject([change, { status: 403 }]);
    // What needs no right of anybody: a selector fills by the rights of the owners that spec.access names.
    const sync = { spaceSelector: {} };
    expect((await eve.send('PATCH', `${PROJECT_SECRETS}/guarded`, { spec: { sync } })).status).toBe(200);
  });

  test('projects take sync alone', async () => {
    const body = {
      metadata: { name: 'wrong' },
      spec: { access: [{ verbs: ['get', 'sync'], projects: ['web'] }] },
    };
    expect(await steps.admin.send('POST', SHARED, body)).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.access[0].verbs' }] } },
    });
  });
});
