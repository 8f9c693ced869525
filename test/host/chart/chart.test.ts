/**
 * The API servers of real clusters accept everything that the chart can render, and its Pods meet the restricted Pod
 * Security level.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { made } from '../../fixtures/host/apiservice.js';
import { podSpecs, render, VALUE_SETS, type ChartObject, type PodSpec } from '../../fixtures/host/chart.js';
import { HOST_RELEASES, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { describeWith } from '../../fixtures/program.js';

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

interface Served {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** By the name of the values: the same for every cluster. */
const rendered = new Map<string, ChartObject[]>();

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
      host = await plainHost(release);
      for (const name of [NAMESPACE, 'one', 'two'])
        await made(host.api, '/api/v1/namespaces', { metadata: { name, labels: RESTRICTED } });
      for (const kind of OTHERS)
        await made(host.api, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(kind));
    });
    afterAll(() => host?.stop());

    /** What the API server says of it, if that is not only that it takes it, without a warning. */
    const refused = async (object: ChartObject, how = '&dryRun=All'): Promise<unknown[]> => {
      const path = `${await pathOf(object)}?fieldManager=chart&force=true&fieldValidation=Strict${how}`;
      const type = { 'content-type': 'application/apply-patch+yaml' };
      const { status, text, headers } = await host.api.send('PATCH', path, object, type);
      const isTaken = (status === 200 || status === 201) && headers.warning === undefined;
      return isTaken ? [] : [object.kind, object.metadata.name, headers.warning, text];
    };
    async function pathOf({ apiVersion, kind, metadata: { namespace, name } }: ChartObject): Promise<string> {
      const api = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
      let served = plurals.get(api);
      if (served === undefined) {
        const { text } = await host.api.send('GET', api);
        served = (JSON.parse(text) as { resources: Served[] }).resources;
        plurals.set(api, served);
      }
      const found = served.find((one) => one.kind === kind && !one.name.includes('/'));
      expect([apiVersion, kind, found]).toEqual([apiVersion, kind, expect.anything()]);
      const within = found?.namespaced === true ? `/namespaces/${namespace ?? NAMESPACE}` : '';
      return `${api}${within}/${found?.name}/${name}`;
    }
    const plurals = new Map<string, readonly Served[]>();
    const asPod = (spec: PodSpec, at: number): ChartObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${at}`, namespace: NAMESPACE },
      spec: { ...spec, volumes: [...(spec.volumes ?? []).filter(({ name }) => name !== 'data'), DATA] },
    });
    /** Replaces a volume claim of a StatefulSet. */
    const DATA = { name: 'data', emptyDir: {} };

    test.each(Object.entries(VALUE_SETS))('with %s', async (name, values) => {
      const objects = rendered.get(name) ?? render(values);
      rendered.set(name, objects);
      expect(objects.length).toBeGreaterThan(20);
      const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
      for (const account of accounts) expect(await refused(account, '')).toEqual([]);
      // As kubectl and Helm apply with strict validation. The API server warns about deprecated fields and violations of Pod Security.
      for (const object of objects) expect(await refused(object)).toEqual([]);
      const pods = objects.flatMap(podSpecs).map(asPod);
      expect(pods.length).toBeGreaterThan(2);
      for (const pod of pods) expect(await refused(pod)).toEqual([]);
    });
  });
}
