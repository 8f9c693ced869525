/**
 * A server is killed while virtual clusters are imported: each is in at most one project, and the claim names that
 * project.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, type Actor } from '../fixtures/clients/impersonation.js';
import { startServer, type ServerFixture } from '../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const PROJECTS = ['a', 'b'];
const ROUNDS = 3;
const EACH = 20;
let server: ServerFixture;
let cluster: ServerFixture;
let admin: Actor;
let host: Actor;
let data: { config: string };

beforeAll(async () => {
  [server, cluster] = await Promise.all([startServer(), startServer()]);
  [admin, host] = [impersonating(server), impersonating(cluster)];
  data = { config: readFileSync(cluster.kubeconfig).toString('base64') };
  await admin.send('POST', '/api/v1/namespaces/management-system/secrets', {
    metadata: { name: 'east' },
    data,
  });
  const config = { secretName: 'east' };
  await admin.send('POST', `${API}/clusters`, { metadata: { name: 'east' }, spec: { config } });
  for (const name of PROJECTS)
    await admin.send('POST', `${API}/projects`, {
      metadata: { name },
      spec: { allowedClusters: [{ name: 'east' }] },
    });
  await host.send('POST', '/api/v1/namespaces', { metadata: { name: 'vcs' } });
});
afterAll(() => Promise.all([server.remove(), cluster.remove()]));

async function doImport(name: string, project: string): Promise<number> {
  const source = { name, namespace: 'vcs', cluster: 'east' };
  const path = `${API}/projects/${project}/importvirtualcluster`;
  return (await admin.send('POST', path, { sourceVirtualCluster: source })).status;
}

/** The projects that contain the virtual cluster. */
async function projectsOf(name: string): Promise<string[]> {
  const found = await Promise.all(
    PROJECTS.map(async (project) => {
      const path = `${API}/namespaces/loft-p-${project}/virtualclusterinstances/${name}`;
      return (await admin.send('GET', path)).status === 200 ? [project] : [];
    }),
  );
  return found.flat();
}

test('an import happens as a whole or not at all', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = Array.from({ length: EACH }, (_, at) => `v${round}-${at}`);
    for (const name of names)
      await host.send('POST', '/api/v1/namespaces/vcs/secrets', { metadata: { name: `vc-${name}` }, data });
    const answered = new Map<string, string>();
    const imports = names.flatMap((name) =>
      PROJECTS.map(async (project) => {
        if ((await doImport(name, project)) === 201) answered.set(name, project);
      }),
    );
    await sleep(30 + 60 * round);
    await server.kill();
    await Promise.allSettled(imports);
    await server.restart();
    for (const name of names) {
      const has = await projectsOf(name);
      expect(has.length).toBeLessThanOrEqual(1);
      if (answered.has(name)) expect(has).toEqual([answered.get(name)]);
      expect([name, await doImport(name, 'a')]).toEqual([name, has.length === 0 ? 201 : 409]);
    }
  }
});
