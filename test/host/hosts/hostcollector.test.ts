/** The objects that this server creates in its host, and the garbage collector of the host. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../api/resource.js';
import { startAggregated } from '../../fixtures/host/aggregatedhost.js';
import type { AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { HOST_RELEASES } from '../../fixtures/host/hostcluster.js';
import { isObjectRole } from '../../fixtures/objects/objectroles.js';
import { eventually } from '../../fixtures/wait.js';

const MANAGEMENT = '/apis/management.svc.example/v1';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const MAPS = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 30;

describe.each(HOST_RELEASES)('the collector of Kubernetes $release', (release) => {
  let behind: AggregatedHost;
  beforeAll(async () => {
    behind = await startAggregated(release, ours());
    await behind.host.restartControllers();
  });
  afterAll(() => behind?.stop());

  const there = async (path: string): Promise<boolean> =>
    (await behind.host.api.send('GET', path)).status === 200;

  /** Resolves when the garbage collector has processed everything that was created before. */
  async function collectorHasLooked(name: string): Promise<void> {
    const absent = { kind: 'SharedSecret', name: 'absent', uid: '00000000-0000-4000-8000-000000000000' };
    const ownerReferences = [{ apiVersion: 'management.svc.example/v1', ...absent }];
    await made(behind.host.api, MAPS, { metadata: { name, ownerReferences } });
    await eventually(`the collection of ${name}`, async () => !(await there(`${MAPS}/${name}`)));
  }

  test('a dependent that is created with its owner stays, and is deleted with it', async () => {
    const { api } = behind.host;
    await collectorHasLooked('first');
    const names = Array.from({ length: OBJECTS }, (_, at) => `made-${at}`);
    await Promise.all([
      ...names.map((name) =>
        made(api, `${MANAGEMENT}/namespaces/default/sharedsecrets`, {
          metadata: { name },
          spec: { access: [{ verbs: ['get'], users: ['jo'] }] },
        }),
      ),
      made(api, `${MANAGEMENT}/projects`, { metadata: { name: 'kept' } }),
    ]);
    await collectorHasLooked('second');
    await eventually('the roles of all', async () => {
      const { items } = JSON.parse((await api.send('GET', ROLES)).text) as { items: KubeObject[] };
      return names.every((name) =>
        items.some(({ metadata }) => isObjectRole(metadata.name ?? '', ['sharedsecrets', name, 0])),
      );
    });
    expect(await there('/api/v1/namespaces/loft-p-kept')).toBe(true);
    await api.send('DELETE', `${MANAGEMENT}/projects/kept`);
    await eventually('the end of the project', async () => !(await there(`${MANAGEMENT}/projects/kept`)));
    expect(await there('/api/v1/namespaces/loft-p-kept')).toBe(false);
  });
});
