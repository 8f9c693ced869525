/**
 * docs/recipes: a cluster with the definitions of the required kinds accepts the objects of the pages and of the chart.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { type ChartObject, render } from '../../fixtures/host/chart.js';
import { client } from '../../fixtures/clients/client.js';
import { type HostCluster, NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import { describeWith, type Outcome } from '../../fixtures/program.js';
import { fileOf, recipe } from '../../fixtures/docs/recipes.js';
import { startServer } from '../../fixtures/servers/server.js';

const CRDS = fileURLToPath(new URL('../../../.tools/crds', import.meta.url));
const read = (name: string): string => readFileSync(join(CRDS, name), 'utf8');
const there = existsSync(join(CRDS, '.pins'));
if (!there && (process.env.CI ?? '') !== '') throw new Error('no .tools/crds: run hack/obtain-crds.sh');
if (!there) console.warn('definitions of others are NOT AT HAND: run hack/obtain-crds.sh');

const CHARTS: Readonly<Record<string, readonly string[]>> = {
  'cert-manager': ['certificates.source=certManager'],
  'cert-manager with an issuer': [
    'certificates.source=certManager',
    'certificates.certManager.issuerRef.name=company',
    'certificates.certManager.issuerRef.kind=ClusterIssuer',
  ],
  Prometheus: [
    'metrics.serviceMonitor.enabled=true',
    'metrics.alerts.enabled=true',
    'metrics.serviceMonitor.labels.release=prometheus',
  ],
};

const describeHost = describeWith('helm', 'kubectl', NEWEST_HOST.apiserver);
(there ? describeHost : describe.skip)('a cluster with the definitions of others', () => {
  let host: HostCluster;
  let apply: (input: string) => Outcome;
  beforeAll(async () => {
    host = await plainHost(NEWEST_HOST);
    const admin = kubectl({ kubeconfig: host.kubeconfig, directory: host.directory });
    admin.run(['create', 'namespace', 'management']);
    const names = readdirSync(CRDS).filter((name) => name.endsWith('.yaml'));
    for (const name of names) admin.run(['create', '-f', '-'], { input: read(name) });
    for (const name of names) {
      const { metadata } = parse(read(name)) as { metadata: { name: string } };
      admin.run(['wait', '--for=condition=Established', `crd/${metadata.name}`, '--timeout=60s']);
    }
    apply = (input) =>
      admin.attempt(['apply', '--dry-run=server', '--validate=strict', '-f', '-'], { input });
  });
  afterAll(() => host?.stop());

  test.each(Object.entries(CHARTS))('takes the objects that the chart makes for %s', (_name, values) => {
    const theirs = render(values).filter(({ apiVersion }) => /^(cert-manager|monitoring)\./.test(apiVersion));
    expect(theirs.length).toBeGreaterThan(0);
    const done = apply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: theirs }));
    expect(done).toMatchObject({ code: 0, err: '' });
  });

  test.each([
    ['external-secrets', 'store.yaml', 'decodingStrategy'],
    ['cert-manager', 'certificate.yaml', 'rotationPolicy'],
  ])('takes the objects of the page %s, and refuses misspelt ones', (page, file, field) => {
    const text = fileOf(recipe(page), file);
    expect(apply(text)).toMatchObject({ code: 0, err: '' });
    const { code, err } = apply(text.replace(field, `${field}s`));
    expect([code, err]).toEqual([1, expect.stringContaining(`${field}s`)]);
  });
});

test('the server answers the request that the store of External Secrets Operator describes', async () => {
  const [store, external] = parseAllDocuments(fileOf(recipe('external-secrets'), 'store.yaml')).map(
    (document) => document.toJS() as ChartObject,
  );
  const { webhook } = (
    store?.spec as { provider: { webhook: { url: string; result: { jsonPath: string } } } }
  ).provider;
  const [{ remoteRef }] = (external?.spec as { data: [{ remoteRef: { key: string; property: string } }] })
    .data;
  /** Fills a template like the operator does. */
  const filled = (template: string): string =>
    template
      .replace('{{ .remoteRef.key }}', remoteRef.key)
      .replace('{{ .remoteRef.property }}', remoteRef.property);
  const server = await startServer();
  try {
    const api = client(server);
    const send = (path: string, body: object) =>
      api.send('POST', `/apis/management.svc.example/v1/${path}`, body);
    await send('projects', { metadata: { name: 'web' } });
    const secret = {
      metadata: { name: remoteRef.key },
      spec: { data: { [remoteRef.property]: 'czNjcmV0' } },
    };
    expect((await send('namespaces/loft-p-web/projectsecrets', secret)).status).toBe(201);
    const answer = await api.send('GET', new URL(filled(webhook.url)).pathname);
    expect(filled(webhook.result.jsonPath)).toBe('$.spec.data["password"]');
    const { spec } = JSON.parse(answer.text) as { spec: { data: Record<string, string> } };
    expect(Buffer.from(spec.data.password ?? '', 'base64').toString()).toBe('s3cret');
  } finally {
    await server.remove();
  }
});
