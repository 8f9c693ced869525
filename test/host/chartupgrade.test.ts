/** From each released chart to this one, by the commands that people type. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { made } from '../fixtures/apiservice.js';
import { CHART } from '../fixtures/chart.js';
import { helmIn, type HelmCommand } from '../fixtures/helmcommand.js';
import { HOST_RELEASES, startHost, type HostCluster } from '../fixtures/hostcluster.js';
import { describeWith } from '../fixtures/program.js';

const NAMESPACE = 'management';
const RELEASED = fileURLToPath(new URL('../fixtures/charts/management-apiserver-0.1.0.tgz', import.meta.url));
const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/management-apiserver';
const ETCD = `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/management-apiserver-etcd`;
const GIVEN = ['--set=image.repository=registry.example.com/server', '--set=etcd.replicas=1'];

describeWith('helm');
for (const release of HOST_RELEASES)
  describeWith(release.apiserver)(`an upgrade of the chart, in Kubernetes ${release.release}`, () => {
    let host: HostCluster;
    let helm: HelmCommand;
    const read = async (path: string): Promise<string> => (await host.api.send('GET', path)).text;
    const spec = async (path: string): Promise<unknown> =>
      (JSON.parse(await read(path)) as { spec: unknown }).spec;

    beforeAll(async () => {
      host = await startHost(release);
      await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
      helm = helmIn(host, NAMESPACE);
    });
    afterAll(() => host?.stop());

    describe.each([
      ['--reuse-values', ['--reuse-values']],
      ['--reset-then-reuse-values', ['--reset-then-reuse-values']],
      ['no flag', GIVEN],
    ])('with %s', (_how, flags) => {
      test('holds the servers to what they were held to, and keeps what was set', async () => {
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
