/** Values of an earlier release, as `helm upgrade` brings them: what they lack must never loosen anything. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { CHART, type ChartObject } from '../fixtures/host/chart.js';
import { describeWithPreviousRelease, previousChart } from '../fixtures/servers/previousrelease.js';
import { findProgram } from '../fixtures/stores/etcd.js';
import { describeWith, execute } from '../fixtures/program.js';

type Values = Record<string, unknown>;

describeWith('helm')('values of an earlier release', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'chart-'));
    cpSync(CHART, join(directory, 'chart'), { recursive: true });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const helm = (...args: readonly string[]) => execute(findProgram('helm') as string, args);
  /** As Helm renders with `--reuse-values`: in the place of the chart's own. Undefined where it refuses. */
  function rendered(values: Values, given: readonly string[] = []): ChartObject[] | undefined {
    const chart = join(directory, 'chart');
    writeFileSync(join(chart, 'values.yaml'), stringify(values));
    const { code, out } = helm('template', 'release', chart, '--namespace=management', ...given);
    if (code !== 0) return undefined;
    return parseAllDocuments(out).flatMap((document) => (document.toJS() as ChartObject | null) ?? []);
  }
  const own = (): Values => parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values;
  const released = (): Values => parse(readFileSync(join(previousChart(), 'values.yaml'), 'utf8')) as Values;
  const one = (objects: readonly ChartObject[] | undefined, kind: string): string =>
    JSON.stringify(objects?.find((object) => object.kind === kind)?.spec);

  describeWithPreviousRelease()('as they are in the previous one', () => {
    test('render what the chart renders with its own, but for what they set', () => {
      const theirs = rendered(released());
      expect(theirs).toEqual(rendered(own()));
      expect(one(theirs, 'ValidatingAdmissionPolicy')).toContain('\\"loft-p-\\"');
    });

    test('render a collector of traces that is added to them', () => {
      const given = ['--set', 'tracing.endpoint=http://collector:4318'];
      expect(one(rendered(released(), given), 'Deployment')).toContain('--tracing-config-file=');
      expect(one(rendered(released()), 'Deployment')).not.toContain('--tracing-config-file=');
    });
  });

  test.each(['server.projectNamespacePrefix', 'server', 'serviceAccount', 'networkPolicy', 'etcd', 'image'])(
    'without %s they are refused, or render the same policy',
    (path) => {
      const policy = one(rendered(own()), 'ValidatingAdmissionPolicy');
      const values = own();
      const [first = '', second] = path.split('.');
      if (second === undefined) delete values[first];
      else delete (values[first] as Values)[second];
      const objects = rendered(values);
      if (objects !== undefined) expect(one(objects, 'ValidatingAdmissionPolicy')).toBe(policy);
    },
  );

  test.each([
    'replicas',
    'server.port',
    'server.resources',
    'service.port',
    'certificates.source',
    'certificates.certificateLife',
    'networkPolicy.enabled',
    'externalEtcd.prefix',
    'etcd.quota',
    'etcd.tls',
    'metrics.alerts.enabled',
  ])('without %s they are refused, and told what to do', (path) => {
    const values = ['template', 'release', CHART, '--namespace=management', '--set', `${path}=null`];
    const { code, err } = helm(...values);
    expect([code, err]).toEqual([1, expect.stringContaining(`${path} must be given`)]);
    expect(err).toContain('--reset-then-reuse-values');
  });

  test.each(['', 'null'])('refuses the prefix %j', (prefix) => {
    expect(rendered(own(), ['--set', `server.projectNamespacePrefix=${prefix}`])).toBeUndefined();
    expect(
      rendered(own(), ['--skip-schema-validation', '--set', `server.projectNamespacePrefix=${prefix}`]),
    ).toBeUndefined();
  });

  test.each([
    'server.flags={--adopt-store}',
    'server.flags={--etcd-prefix=/x}',
    'server.flags={--mode=standalone}',
    'etcd.storage.size=8Gx',
    'etcd.resources.limits.memory=2Gx',
    'server.resources.requests.cpu=lots',
    'server.bindAddress=localhost',
    'image.repository=https://registry.example.com/server',
    'image.tag=a b',
    'backup.claimName=Backups',
    'backup.schedule=daily',
    'encryption.secretName=a_b',
    'server.priorityClassName=High',
    'metrics.serviceMonitor.interval=often',
    'externalEtcd.servers={https://etcd}',
    'etcd.replicas=2',
    'imagePullSecrets[0].nam=x',
    'networkPolicy.egress.ports={0}',
    'server.bindAddress=999.1.1.1',
    'server.bindAddress=::::::::::',
    'server.projectNamespacePrefix=kube-',
    'server.podLabels.app\\.kubernetes\\.io/component=etcd',
    'server.podLabels.team=a team',
    'server.resources.limits.memory=1024',
    'server.resources.limits.memory=512m',
    'server.resources.limit.memory=1Gi',
    'etcd.storage.size=8Mi',
    'etcd.storage.size=8192k',
    'externalEtcd.servers={https://:2379}',
    'externalEtcd.servers={https://etcd:99999}',
    'externalEtcd.prefix=/a b',
    'certificates.certificateLife=0s',
    'certificates.authority=ca.crt',
    'allowClusterNetworks={10.0.0.0/33}',
    'allowClusterNetworks={fd00::/129}',
    'audit.policy.rules[0].level=Everything',
    'backup.log=true',
  ])('%s is refused', (value) => {
    expect(rendered(own(), ['--set', value])).toBeUndefined();
  });

  test('the image or version of the server does not restart etcd', () => {
    const pod = (given: readonly string[]): unknown => {
      const set = rendered(own(), given)?.find(({ kind }) => kind === 'StatefulSet')?.spec;
      return (set as { template: unknown }).template;
    };
    const kept = ['--set', 'etcd.certificatesImage=registry.example.com/server:1'];
    expect(pod([...kept, '--set-string', 'image.tag=2'])).toEqual(
      pod([...kept, '--set-string', 'image.tag=3']),
    );
    expect(JSON.stringify(pod(kept))).not.toContain('0.1.0');
  });
});
