/**
 * Behind Kubernetes, with keys from a KMS plug-in: writes, restarts, copied files, and operation while the plug-in is
 * unavailable.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEtcd } from '../../../pkg/storage/etcd/open.js';
import { ALL_KEYS } from '../../../pkg/storage/pages.js';
import { impersonating } from '../../fixtures/clients/impersonation.js';
import { startAggregated, type AggregatedHost } from '../../fixtures/host/aggregatedhost.js';
import { availability, made } from '../../fixtures/host/apiservice.js';
import { ours } from '../../fixtures/host/backends.js';
import { client } from '../../fixtures/clients/client.js';
import { holdsText } from '../../fixtures/stores/holdstext.js';
import { NEWEST_HOST } from '../../fixtures/host/hostcluster.js';
import { startKmsPlugin, type KmsPlugin } from '../../fixtures/stubs/kmsplugin.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/apis/management.svc.example/v1/namespaces/team/sharedsecrets';

describeWith(NEWEST_HOST.apiserver)('behind Kubernetes, with a KMS', () => {
  let directory: string;
  let plugin: KmsPlugin;
  let aggregated: AggregatedHost;
  const planted: string[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'aggregatedkms-'));
    plugin = await startKmsPlugin(join(directory, 'kms.sock'));
    const file = join(directory, 'encryption-configuration.yaml');
    const kms = { apiVersion: 'v2', name: 'vault', endpoint: plugin.endpoint };
    const configuration = {
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['*.*'], providers: [{ kms }] }],
    };
    writeFileSync(file, JSON.stringify(configuration), { mode: 0o600 });
    aggregated = await startAggregated(NEWEST_HOST, ours([`--encryption-provider-config=${file}`]));
    await made(aggregated.host.api, '/api/v1/namespaces', { metadata: { name: 'team' } });
  });
  afterAll(async () => {
    await aggregated?.stop();
    plugin?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function plant(name: string): Promise<void> {
    const text = `planted-${name}-${'q'.repeat(24)}`;
    planted.push(text);
    const data = { a: Buffer.from(text).toString('base64') };
    await made(aggregated.host.api, SECRETS, { metadata: { name }, spec: { data } });
  }
  async function read(name: string): Promise<string> {
    const { status, body } = await impersonating(aggregated.host).send<{ spec: { data: { a: string } } }>(
      'GET',
      `${SECRETS}/${name}`,
    );
    return status === 200 ? Buffer.from(body.spec.data.a, 'base64').toString() : String(status);
  }
  const health = async (path: string): Promise<string> => {
    const { status, text } = await client(aggregated).send('GET', path);
    return `${status} ${text}`;
  };

  test('reads its records after a restart', async () => {
    await plant('first');
    expect(await aggregated.server.stop()).toBe(0);
    await aggregated.server.start();
    await eventually('the value', async () => (await read('first')) === planted[0]);
    expect(await health('/healthz/kms-providers')).toBe('200 ok');
  });

  test('nothing of it, and no data key, is in etcd or in the log', async () => {
    const { etcd, server } = aggregated;
    const store = await openEtcd({ endpoints: [etcd.endpoint], prefix: '/management' });
    const { records } = await store.scan(ALL_KEYS);
    await store.close();
    const found = records.find(({ key }) => key.endsWith('/sharedsecrets/team/first'));
    expect(found?.value.includes('k8s:enc:kms:v2:vault-')).toBe(true);
    const files = readdirSync(etcd.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    const all = [...files, Buffer.from(server.log())];
    expect(all.some((bytes) => bytes.includes('sharedsecrets/team/first'))).toBe(true);
    const keys = plugin.dataKeys.flatMap((key) => [key.toString('latin1'), key.toString('base64')]);
    expect([planted.length, keys.length > 0]).toEqual([1, true]);
    expect([...planted, ...keys].filter((text) => all.some((bytes) => holdsText(bytes, text)))).toEqual([]);
  });

  test('while the plug-in is away all is read and written, and only its own check fails', async () => {
    plugin.stop();
    // When the file is rewritten, the server calls its plug-ins.
    const file = join(directory, 'encryption-configuration.yaml');
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n`);
    await eventually('healthz to say so', async () =>
      (await health('/healthz')).includes('[-]kms-providers'),
    );
    expect(await health('/healthz/kms-providers')).toContain('the KMS plug-in vault at unix:');
    expect([await health('/readyz'), await health('/livez')]).toEqual(['200 ok', '200 ok']);
    await plant('away');
    expect([await read('first'), await read('away')]).toEqual(planted);
    expect(await availability(aggregated.host.api, ours())).toMatchObject({ status: 'True' });
  });

  test('a start without the plug-in serves discovery, returns 503 for stored kinds, and continues when the plug-in is back', async () => {
    await aggregated.server.stop();
    await aggregated.server.start();
    await eventually('why it waits', () =>
      Promise.resolve(/KMS plug-in vault/.test(aggregated.server.log())),
    );
    const own = impersonating(aggregated);
    expect((await client(aggregated).send('GET', '/apis/management.svc.example/v1')).status).toBe(200);
    expect((await own.send('GET', `${SECRETS}/first`)).status).toBe(503);
    expect((await own.send('POST', SECRETS, { metadata: { name: 'x' }, spec: {} })).status).toBe(503);
    expect(await read('first')).toBe('503');
    await plugin.start();
    await eventually('the value', async () => (await read('away')) === planted[1]);
    await plant('after');
    expect([await read('first'), await read('after')]).toEqual([planted[0], planted[2]]);
  });
});
