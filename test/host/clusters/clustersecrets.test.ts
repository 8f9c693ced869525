/** Secrets in a connected Kubernetes cluster of the oldest supported release; `localcluster` tries the newest. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allow, impersonating } from '../../fixtures/clients/impersonation.js';
import { client } from '../../fixtures/clients/client.js';
import { agentUser, create, keyOf, startDialingAgent, tokenOf } from '../../fixtures/agents/tunnel.js';
import { clusterSecretCases } from '../../fixtures/agents/clustersecretsuite.js';
import {
  PREFIX,
  SHARED,
  SecretSteps,
  base64,
  fromShared,
  type Clusters,
} from '../../fixtures/agents/secretsteps.js';
import { OLDEST_HOST, startHost, type OwnHost } from '../../fixtures/host/hostcluster.js';
import { describeWith } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

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

    test('who has a token of one space alone is given nothing there that its source does not let sync', async () => {
      const namespace = await steps.createSpace('scoped', 'mia');
      const secrets = `/api/v1/namespaces/${namespace}/secrets`;
      await create(server, `${API}/users`, 'mia', {});
      await allow(server, 'mia', '', {
        apiGroups: ['management.svc.example'],
        resources: ['clusters'],
        verbs: ['get'],
      });
      await allow(host, 'management:mia', namespace, {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['create', 'get'],
      });
      const agent = await startDialingAgent(server, {
        cluster: 'east',
        key: await agentUser(server, 'east'),
        kubeconfig: host.kubeconfig,
      });
      try {
        const scope = { spaces: [{ project: 'web', space: 'scoped' }] };
        const mia = client(agent, await tokenOf(server, await keyOf(server, 'mia'), { scope }));
        const own = '/kubernetes/project/web/space/scoped';
        const ask = async (name: string, asked: object): Promise<void> => {
          const { status, text } = await mia.send('POST', `${own}${secrets}`, {
            metadata: { name, ...asked },
          });
          expect([status, text]).toEqual([201, expect.anything()]);
        };
        const metadata = { name: 'beyond' };
        const access = [{ verbs: ['get', 'list', 'watch', 'update'], users: ['mia'] }];
        const spec = { data: { a: base64('beyond') }, access };
        const source = await steps.create<{ metadata: { uid: string } }>(clusters.admin, SHARED, {
          metadata,
          spec,
        });
        await ask('labelled', { labels: fromShared('beyond') });
        // Nor as one that the server has filled.
        const annotations = {
          [`${PREFIX}sync-status`]: 'Synced',
          [`${PREFIX}synced-from-uid`]: source.metadata.uid,
        };
        await ask('marked', { labels: fromShared('beyond'), annotations });
        for (const [name, status] of [
          ['labelled', 'Forbidden'],
          ['marked', 'Revoked'],
        ] as const)
          expect((await steps.waitForStatus(namespace, name, status)).data).toBeUndefined();
        await steps.patchShared('beyond', { access: [...access, { verbs: ['sync'], users: ['mia'] }] });
        for (const name of ['labelled', 'marked'])
          await steps.waitForData(namespace, name, { a: base64('beyond') });
        expect((await mia.send('GET', `${own}${secrets}/labelled`)).text).toContain(base64('beyond'));
      } finally {
        await agent.stop();
      }
    });

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
