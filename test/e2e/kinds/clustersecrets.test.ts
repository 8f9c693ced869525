/** Secrets in a connected cluster, which a second server of this project plays. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import type { Clusters } from '../../fixtures/agents/clustersecretsuite.js';
import { clusterSecretCases, secretSteps } from '../../fixtures/agents/clustersecretsuite.js';
import { startServer } from '../../fixtures/servers/server.js';
import type { ServerFixture } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const CONTROLLERS = 'space-provisioner-controller,cluster-secret-sync-controller,namespace-controller';

describe('secrets in a connected cluster', () => {
  let server: ServerFixture;
  let connected: ServerFixture;
  let clusters: Clusters;

  beforeAll(async () => {
    [server, connected] = await Promise.all([
      startServer({ controllers: CONTROLLERS }),
      startServer({ controllers: 'namespace-controller' }),
    ]);
    clusters = { admin: impersonating(server), connected: impersonating(connected) };
    const { made } = secretSteps(() => clusters);
    const { admin } = clusters;
    const data = { config: readFileSync(connected.kubeconfig).toString('base64') };
    await made(admin, '/api/v1/namespaces/management-system/secrets', { metadata: { name: 'east' }, data });
    const spec = { config: { secretName: 'east' } };
    await made(admin, `${API}/clusters`, { metadata: { name: 'east' }, spec });
    const allowedClusters = [{ name: 'east' }];
    await made(admin, `${API}/projects`, { metadata: { name: 'web' }, spec: { allowedClusters } });
  }, 60_000);
  afterAll(() => Promise.all([server?.remove(), connected?.remove()]));

  clusterSecretCases(() => clusters);
});
