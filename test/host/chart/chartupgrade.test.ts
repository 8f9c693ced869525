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
const VOLUMES = `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`;
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
        // The next installation refuses volumes whose keys it lacks.
        await host.api.send('DELETE', VOLUMES);
        await eventually('the end of the volumes', async () => {
          const { items } = JSON.parse(await read(VOLUMES)) as { items: object[] };
          return items.length === 0;
        });
      });
    });
  });
