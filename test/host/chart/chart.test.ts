/**
 * The API servers of real clusters accept everything that the chart can render, and its Pods meet the restricted Pod
 * Security level.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { made } from '../../fixtures/host/apiservice.js';
import { podSpecs, render, VALUE_SETS, type ChartObject } from '../../fixtures/host/chart.js';
import { findProgram } from '../../fixtures/stores/etcd.js';
import { HOST_RELEASES, startHost, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { describeWith, execute } from '../../fixtures/program.js';

const NAMESPACE = 'management';
const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' };
/**
 * Kinds of other projects, whose schemas are not available: the test checks only that objects can be created, and not
 * their content.
 */
const OTHERS: readonly (readonly [group: string, kind: string, plural: string])[] = [
  ['monitoring.coreos.com', 'ServiceMonitor', 'servicemonitors'],
  ['monitoring.coreos.com', 'PrometheusRule', 'prometheusrules'],
  ['cert-manager.io', 'Certificate', 'certificates'],
  ['cert-manager.io', 'Issuer', 'issuers'],
];

const definition = ([group, kind, plural]: (typeof OTHERS)[number]): object => ({
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

describeWith('etcd');
describeWith('helm');
for (const release of HOST_RELEASES) {
  describeWith(release.apiserver)(`the chart, to Kubernetes ${release.release}`, () => {
    let host: HostCluster;
    beforeAll(async () => {
      host = await startHost(release);
      for (const name of [NAMESPACE, 'one', 'two'])
        await made(host.api, '/api/v1/namespaces', { metadata: { name, labels: RESTRICTED } });
      for (const kind of OTHERS)
        await made(host.api, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(kind));
    });
    afterAll(() => host?.stop());

    const apply = (objects: readonly object[], ...flags: string[]): ReturnType<typeof execute> =>
      execute(
        findProgram('kubectl') as string,
        [`--kubeconfig=${host.kubeconfig}`, 'apply', '--validate=strict', '-f', '-', ...flags],
        { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) },
      );
    const asPods = (object: ChartObject): object[] =>
      podSpecs(object).map((spec) => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'pod', namespace: NAMESPACE },
        spec: { ...spec, volumes: [...(spec.volumes ?? []).filter(({ name }) => name !== 'data'), DATA] },
      }));
    /** Replaces a volume claim of a StatefulSet. */
    const DATA = { name: 'data', emptyDir: {} };

    test.each(Object.entries(VALUE_SETS))('with %s', (_name, values) => {
      const objects = render(values);
      expect(objects.length).toBeGreaterThan(20);
      const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
      expect(apply(accounts)).toMatchObject({ code: 0 });
      const { code, out, err } = apply(objects, '--dry-run=server');
      // kubectl warns about the accounts, which were applied before. The API server would warn about deprecated fields
      // and violations of Pod Security.
      const warnings = err
        .split('\n')
        .filter((line) => line.startsWith('Warning') && !/annotation/.test(line));
      expect({ code, warnings, err: code === 0 ? '' : err }).toEqual({ code: 0, warnings: [], err: '' });
      expect(out.trim().split('\n')).toHaveLength(objects.length);
      const pods = objects.flatMap(asPods);
      expect(pods.length).toBeGreaterThan(2);
      for (const pod of pods) expect(apply([pod], '--dry-run=server')).toMatchObject({ code: 0, err: '' });
    });
  });
}
