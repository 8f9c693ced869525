/** Secrets in a connected Kubernetes cluster of the oldest supported release; `localcluster` tries the newest. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, test } from '@jest/globals';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { clusterSecretCases } from '../../fixtures/agents/clustersecretsuite.js';
import type { Clusters } from '../../fixtures/agents/secretsteps.js';
import { SecretSteps, base64, fromShared } from '../../fixtures/agents/secretsteps.js';
import type { OwnHost } from '../../fixtures/host/hostcluster.js';
import { OLDEST_HOST, startHost } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import type { ServerFixture } from '../../fixtures/servers/server.js';
import { startServer } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';

for (const release of [OLDEST_HOST])
  describeWith(release.apiserver)(`secrets in Kubernetes ${release.release}`, () => {
    let host: OwnHost;
    let server: ServerFixture;
    let clusters: Clusters;
    const steps = new SecretSteps(() => clusters);

    beforeAll(async () => {
      host = await startHost(release);
      server = await startServer({ controllers: '*' });
      clusters = { admin: impersonating(server), connected: impersonating(host) };
      const { admin } = clusters;
      const data = { config: readFileSync(host.kubeconfig).toString('base64') };
      const secrets = '/api/v1/namespaces/management-system/secrets';
      await steps.create(admin, secrets, { metadata: { name: 'east' }, data });
      const spec = { config: { secretName: 'east' } };
      await steps.create(admin, `${API}/clusters`, { metadata: { name: 'east' }, spec });
      const allowedClusters = [{ name: 'east' }];
      await steps.create(admin, `${API}/projects`, { metadata: { name: 'web' }, spec: { allowedClusters } });
    });
    afterAll(async () => {
      await server?.remove();
      await host?.stop();
    });

    clusterSecretCases(() => clusters);

    test('catches up after a SIGKILL with what changed meanwhile on either side', async () => {
      const namespace = await steps.createSpace('killed', 'kim');
      const names = ['edited', 'revoked', 'late'];
      for (const name of names) await steps.createShared(`kill-${name}`, { a: base64(name) }, 'kim');
      for (const name of names.slice(0, 2)) {
        await steps.createLabelled(namespace, name, fromShared(`kill-${name}`));
        await steps.waitForData(namespace, name, { a: base64(name) });
      }
      const revoking = steps.patchShared('kill-revoked', { access: [] });
      await revoking;
      await server.kill();
      await steps.patchSecret(namespace, 'edited', { data: { a: base64('by hand') } });
      await steps.createLabelled(namespace, 'late', fromShared('kill-late'));
      await server.restart();
      await steps.waitForData(namespace, 'edited', { a: base64('edited') });
      await steps.waitForData(namespace, 'late', { a: base64('late') });
      await steps.waitForData(namespace, 'revoked', {});
    });

    test('catches up with a cluster that was away', async () => {
      const namespace = await steps.createSpace('away', 'ann', { in: 'away' });
      await steps.createShared('away', { a: base64('before') }, 'ann');
      await steps.createLabelled(namespace, 'away', fromShared('away'));
      await steps.waitForData(namespace, 'away', { a: base64('before') });
      const sync = { spaceSelector: { matchLabels: { in: 'away' } } };
      await steps.createSynced('kept', sync, { a: base64('kept') }, 'ann');
      await steps.waitForData(namespace, 'kept', { a: base64('kept') });
      await host.stopApiserver();
      await steps.patchShared('away', { access: [] });
      await steps.waitForSpace('away', 'Unknown', 'cannot be reached');
      const { admin } = clusters;
      const kept = `${API}/namespaces/loft-p-web/projectsecrets/kept`;
      await admin.send('DELETE', kept);
      await steps.waitForTargets('kept', 'False', 'deletion goes on when the clusters answer');
      await host.startApiserver();
      await steps.waitForData(namespace, 'away', {});
      await steps.waitForSpace('away', 'False', 'Revoked');
      await steps.waitForDeletion(namespace, 'kept');
    });
  });
