/** Secrets in a connected cluster; a second server of this project acts as the cluster. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { clusterSecretCases } from '../../fixtures/agents/clustersecretsuite.js';
import { SecretSteps, type Clusters } from '../../fixtures/agents/secretsteps.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

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
    const steps = new SecretSteps(() => clusters);
    const { admin } = clusters;
    const data = { config: readFileSync(connected.kubeconfig).toString('base64') };
    await steps.create(admin, '/api/v1/namespaces/management-system/secrets', {
      metadata: { name: 'east' },
      data,
    });
    const spec = { config: { secretName: 'east' } };
    await steps.create(admin, `${API}/clusters`, { metadata: { name: 'east' }, spec });
    const allowedClusters = [{ name: 'east' }];
    await steps.create(admin, `${API}/projects`, { metadata: { name: 'web' }, spec: { allowedClusters } });
  });
  afterAll(() => Promise.all([server?.remove(), connected?.remove()]));

  clusterSecretCases(() => clusters);
});
