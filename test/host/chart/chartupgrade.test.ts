/** Upgrades from the chart of the previous release to the current one, with the documented commands. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { made } from '../../fixtures/host/apiservice.js';
import { CHART } from '../../fixtures/host/chart.js';
import { helmIn, type HelmCommand } from '../../fixtures/clients/helmcommand.js';
import { ONE_RELEASE, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { describeWith } from '../../fixtures/program.js';
import { previousChart } from '../../fixtures/servers/previousrelease.js';
import { eventually } from '../../fixtures/wait.js';

const NAMESPACE = 'management';
const RELEASED = previousChart();
const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/management-apiserver';
const ETCD = `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/management-apiserver-etcd`;
const GIVEN = ['--set=image.repository=registry.example.com/server', '--set=etcd.replicas=1'];

describeWith('helm');
for (const release of ONE_RELEASE)
  describeWith(release.apiserver)(`an upgrade of the chart, in Kubernetes ${release.release}`, () => {
    let host: HostCluster;
    let helm: HelmCommand;
    const read = async (path: string): Promise<string> => (await host.api.send('GET', path)).text;
    const spec = async (path: string): Promise<unknown> =>
      (JSON.parse(await read(path)) as { spec: unknown }).spec;

    beforeAll(async () => {
      host = await plainHost(release);
      await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
      helm = helmIn(host, NAMESPACE);
    });
    afterAll(() => host?.stop());

    test('lets everybody ask when no server of the earlier release is left, and not before', async () => {
      const name = 'management-apiserver';
      const GRANT = 'management:host:requests:all';
      const RBAC = '/apis/rbac.authorization.k8s.io/v1';
      const leftover = 'management:projects:shop:owner';
      const upgrade = async (): Promise<readonly [granted: boolean, writes: boolean]> => {
        expect(await helm('upgrade', name, CHART, ...GIVEN)).toMatchObject({ code: 0 });
        const { status } = await host.api.send('GET', `${RBAC}/clusterrolebindings/${GRANT}`);
        const role = JSON.parse(await read(`${RBAC}/clusterroles/${name}`)) as {
          rules: { resources: string[]; verbs: string[] }[];
        };
        const rule = role.rules.find(
          ({ resources, verbs }) => resources.includes('clusterroles') && !verbs.includes('bind'),
        );
        return [status === 200, rule?.verbs.includes('create') === true];
      };
      expect(await helm('install', name, RELEASED, ...GIVEN)).toMatchObject({ code: 0 });
      await made(host.api, `${RBAC}/clusterroles`, { metadata: { name: leftover }, rules: [] });
      const sets = `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`;
      interface Sets {
        readonly items: readonly { metadata: { name: string }; spec: { template: { spec: object } } }[];
      }
      const earlier = async (): Promise<string[]> =>
        (JSON.parse(await read(sets)) as Sets).items
          .filter(({ spec: { template } }) => !JSON.stringify(template).includes('--host-lets-everybody-ask'))
          .map(({ metadata }) => metadata.name);
      const pods = async (): Promise<boolean> => {
        const text = await read(
          `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app.kubernetes.io/component=server`,
        );
        return (JSON.parse(text) as { items: unknown[] }).items.some(
          (pod) => !JSON.stringify(pod).includes('--host-lets-everybody-ask'),
        );
      };
      await eventually('Pods of the earlier release', pods);
      expect(await upgrade()).toEqual([false, true]);
      expect(await upgrade()).toEqual([false, true]);
      for (const set of await earlier()) await host.api.send('DELETE', `${sets}/${set}`);
      await eventually('their end', async () => !(await pods()));
      expect(await upgrade()).toEqual([true, true]);
      expect((await host.api.send('DELETE', `${RBAC}/clusterroles/${leftover}`)).status).toBe(200);
      expect(await upgrade()).toEqual([true, false]);
      expect(await helm('rollback', name, '1', '--no-hooks')).toMatchObject({ code: 0 });
      expect((await host.api.send('GET', `${RBAC}/clusterrolebindings/${GRANT}`)).status).toBe(404);
      expect(await helm('uninstall', name, '--no-hooks')).toMatchObject({ code: 0 });
    });

    describe.each([
      ['--reuse-values', ['--reuse-values']],
      ['--reset-then-reuse-values', ['--reset-then-reuse-values']],
      ['no flag', GIVEN],
    ])('with %s', (_how, flags) => {
      test('keeps the servers restricted as before, and keeps set values', async () => {
        const name = 'management-apiserver';
        expect(await helm('install', name, RELEASED, ...GIVEN)).toMatchObject({ code: 0 });
        expect(await helm('upgrade', name, CHART, ...flags)).toMatchObject({ code: 0 });
        const policy = await read(POLICY);
        expect(policy).toContain('loft-p-');
        expect(policy).not.toMatch(/startsWith\(\\"\\"\)|== \\"\\" \+/);
        expect(await spec(ETCD)).toMatchObject({ replicas: 1 });
        const refused = await helm('upgrade', name, CHART, ...flags, '--set=etcd.replicas=3');
        expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('a second, empty etcd')]);
        expect(await spec(ETCD)).toMatchObject({ replicas: 1 });
        const before = await spec(ETCD);
        expect(await helm('upgrade', name, CHART, ...flags, '--set=image.tag=v2')).toMatchObject({ code: 0 });
        expect(await spec(ETCD)).toEqual(before);
        expect(await helm('uninstall', name, '--no-hooks')).toMatchObject({ code: 0 });
      });
    });
  });
