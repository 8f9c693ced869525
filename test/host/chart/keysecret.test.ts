/** The Secret with the keys of the store is deleted or replaced, with servers that run and without. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.js';
import { made, untilAvailable } from '../../fixtures/host/apiservice.js';
import { scriptsUnder } from '../../fixtures/docs/docssteps.js';
import { client } from '../../fixtures/clients/client.js';
import { noContainers, type Container } from '../../fixtures/host/container.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { ofPart } from '../../fixtures/host/hostpods.js';
import { InstalledChart, NAMESPACE, RELEASE } from '../../fixtures/host/installedchart.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const PAGE = readPage('docs/encryption.md');
const GROUP = { group: 'management.svc.example', version: 'v1', plural: 'sharedsecrets' };
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const SECRET = `${SECRETS}/${RELEASE}-encryption`;
const STORE_LEASE = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/management-store`;
const OBJECTS = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';

interface SecretObject {
  readonly metadata: { readonly labels: object; readonly annotations: object };
  readonly data?: Readonly<Record<string, string>>;
}

const hindrance = noContainers();
if (hindrance !== undefined) console.warn(`the chart's Pods are NOT RUN: ${hindrance}`);
const suite = hindrance === undefined ? describeWith('etcd', 'helm', NEWEST_HOST.apiserver) : describe.skip;
suite('the keys of the chart', () => {
  let chart: InstalledChart;
  let server: Container;
  let kept: SecretObject;

  const secret = async (): Promise<SecretObject | undefined> => {
    const { status, text } = await chart.host.api.send('GET', SECRET);
    return status === 200 ? (JSON.parse(text) as SecretObject) : undefined;
  };
  const patched = (change: object) => {
    const type = { 'content-type': 'application/merge-patch+json' };
    return chart.host.api.send('PATCH', SECRET, change, type);
  };
  const comesBack = (): Promise<SecretObject> =>
    eventually('the keys', async () => {
      const found = await secret();
      return found?.data?.['encryption.key'] === undefined ? undefined : found;
    });
  const metric = async (name: string): Promise<number> => {
    const { text } = await client({ url: `https://127.0.0.1:${chart.port}` }).send('GET', '/metrics');
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  };

  beforeAll(async () => {
    chart = await InstalledChart.start(NEWEST_HOST);
    expect(await chart.helm('install')).toMatchObject({ code: 0 });
    const starting = chart.startPart('server');
    await chart.startPart('etcd');
    server = await starting;
    await untilAvailable(chart.host.api, GROUP);
    await made(chart.host.api, OBJECTS, { metadata: { name: 'db' }, spec: { data: { a: 'YQ==' } } });
    await eventually('a note of the keys', async () =>
      (await chart.host.api.send('GET', STORE_LEASE)).text.includes('store-keys"'),
    );
    kept = await comesBack();
  });
  afterAll(() => chart?.stop());

  test('a server asks for a copy until it is told that there is one', async () => {
    const said = /kubectl -n management (annotate --overwrite secret \S+) ([^\s"]+=[0-9a-f]{16})"/;
    const [, command = '', value = ''] = await eventually('the warning', () =>
      Promise.resolve(said.exec(server.log()) ?? undefined),
    );
    expect(await metric('management_apiserver_key_without_copy')).toBe(1);
    expect(chart.kubectl(...command.split(' '), value)).toMatchObject({ code: 0 });
    await eventually(
      'that it knows',
      async () => (await metric('management_apiserver_key_without_copy')) === 0,
    );
    kept = await comesBack();
  });

  test.each([
    ['deleted', () => chart.host.api.send('DELETE', SECRET)],
    ['emptied', () => patched({ data: null })],
  ])('a Secret that is %s is written back, and an alert says so', async (_how, harm) => {
    expect(await metric('management_apiserver_key_secret_lost_timestamp_seconds')).toBeLessThan(
      Date.now() / 1000,
    );
    const since = Date.now() / 1000;
    expect((await harm()).status).toBe(200);
    const { metadata, data } = await comesBack();
    expect(data).toEqual(kept.data);
    expect(metadata).toMatchObject({ labels: kept.metadata.labels, annotations: kept.metadata.annotations });
    expect(server.log()).toMatch(/the Secret with the keys of the store (is gone|lacks a key)/);
    expect(await metric('management_apiserver_key_secret_lost_timestamp_seconds')).toBeGreaterThan(since);
    expect(await chart.helm('upgrade')).toMatchObject({ code: 0 });
  });

  test('a server that was restarted meanwhile puts it back as what Helm knows', async () => {
    await server.kill();
    expect((await chart.host.api.send('DELETE', SECRET)).status).toBe(200);
    const pod = await chart.pod('the server', ofPart('server'));
    // As a kubelet does: what the Pod began with is there.
    server = await chart.pods.start({ ...pod, spec: { ...pod.spec, initContainers: [] } });
    const { metadata, data } = await comesBack();
    expect(data).toEqual(kept.data);
    const release = { 'meta.helm.sh/release-name': RELEASE, 'meta.helm.sh/release-namespace': NAMESPACE };
    expect(metadata).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { ...release, 'helm.sh/resource-policy': 'keep' },
    });
    expect(await chart.helm('upgrade')).toMatchObject({ code: 0 });
  });

  test('while none runs, no new key takes its place', async () => {
    await server.stop();
    expect((await chart.host.api.send('DELETE', SECRET)).status).toBe(200);
    const { code, err } = await chart.helm('upgrade', 'server.flags={--v=1}');
    expect([code, err]).toEqual([1, expect.stringContaining(`--from-file=encryption.key`)]);
    // A Pod that starts with an empty one waits, also without Helm.
    await made(chart.host.api, SECRETS, { metadata: { name: `${RELEASE}-encryption` } });
    const pod = await chart.pod('the server', ofPart('server'));
    const [first] = pod.spec.initContainers ?? [];
    const waiting = await chart.pods.start({
      ...pod,
      spec: { ...pod.spec, initContainers: [], containers: [first!] },
    });
    await eventually('that it says so', () =>
      Promise.resolve(/it lacks the key [0-9a-f]{16} /.test(waiting.log())),
    );
    expect((await secret())?.data).toBeUndefined();
    expect((await patched({ data: kept.data })).status).toBe(200);
    expect(await waiting.ended).toBe(0);
    // Or with the commands of the docs, from a copy.
    expect((await chart.host.api.send('DELETE', SECRET)).status).toBe(200);
    mkdirSync(chart.home);
    writeFileSync(
      join(chart.home, 'encryption.key'),
      Buffer.from(kept.data?.['encryption.key'] ?? '', 'base64'),
    );
    const [script = ''] = scriptsUnder(PAGE, 'The Secret of the chart is lost');
    expect(await chart.run(script)).toMatchObject({ code: 0 });
    expect((await secret())?.data).toEqual(kept.data);
    server = await chart.startPart('server');
    await untilAvailable(chart.host.api, GROUP);
    await eventually(
      'the object',
      async () => (await chart.host.api.send('GET', `${OBJECTS}/db`)).status === 200,
    );
    expect(await chart.helm('upgrade', 'server.flags={--v=1}')).toMatchObject({ code: 0 });
  });

  test('a release that would make a new key for kept volumes is refused', async () => {
    expect(await chart.run(`helm uninstall ${RELEASE} -n ${NAMESPACE} --no-hooks`)).toMatchObject({
      code: 0,
    });
    expect((await chart.host.api.send('DELETE', SECRET)).status).toBe(200);
    const { code, err } = await chart.helm('install');
    const why = `the volumes data-${RELEASE}-etcd-0 have what an earlier release stored`;
    expect([code, err]).toEqual([1, expect.stringContaining(why)]);
  });
});
