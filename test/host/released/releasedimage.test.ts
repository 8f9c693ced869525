/** The released image: its layout, and its root file system run as a container, without a container engine. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../hack/bench/processes.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { noContainers, startContainer } from '../../fixtures/host/container.js';
import type { Image } from '../../fixtures/host/containerimage.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import {
  makeRelease,
  openLayout,
  RELEASE,
  unpackImage,
  type ImageConfig,
  type ImageIndex,
  type Layout,
  type Manifest,
} from '../../fixtures/servers/released.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

/** The maximum size of the compressed image for one architecture. */
const MAX_BYTES = 120_000_000;
const ARCHIVE = join(RELEASE, `management-apiserver-image-${SERVER_VERSION}.oci.tar`);
const SECRET = `apiVersion: management.svc.example/v1
kind: SharedSecret
metadata: { name: from-the-image, namespace: default }
spec: { data: { password: aHVudGVyMg== } }
`;

const made = await makeRelease();
if (!made) console.warn('the image is NOT MADE: it takes what hack/obtain-runtime.sh obtains');

(made ? describe : describe.skip)('the layout of the image that is released', () => {
  let layout: Layout;
  let index: ImageIndex;
  beforeAll(async () => {
    layout = await openLayout(ARCHIVE);
    const [named] = layout.index.manifests;
    expect(named?.annotations).toEqual({ 'org.opencontainers.image.ref.name': SERVER_VERSION });
    index = layout.json<ImageIndex>(named as (typeof layout.index.manifests)[0]);
  });
  afterAll(() => layout?.remove());

  test('has two architectures, whose blobs are what their digests say', () => {
    expect(index.manifests.map(({ platform }) => platform?.architecture)).toEqual(['amd64', 'arm64']);
    for (const descriptor of index.manifests) {
      const manifest = layout.json<Manifest>(descriptor);
      const config = layout.json<ImageConfig>(manifest.config);
      expect(config.architecture).toBe(descriptor.platform?.architecture);
      for (const blob of [descriptor, manifest.config, ...manifest.layers]) {
        const bytes = readFileSync(layout.path(blob));
        expect([sha256(bytes), bytes.length]).toEqual([blob.digest, blob.size]);
      }
      const unpacked = manifest.layers.map((layer) => gunzipSync(readFileSync(layout.path(layer))));
      expect(unpacked.map(sha256)).toEqual(config.rootfs.diff_ids);
      const size = manifest.layers.reduce((sum, layer) => sum + layer.size, 0);
      const whole = unpacked.reduce((sum, { length }) => sum + length, 0);
      console.info(`the image for ${config.architecture}: ${size} bytes, ${whole} unpacked`);
      expect(size).toBeLessThan(MAX_BYTES);
    }
  });

  test('is what the chart that is released names', async () => {
    const chart = join(RELEASE, `management-apiserver-chart-${SERVER_VERSION}.tgz`);
    const digest = layout.index.manifests[0]?.digest;
    const values = gunzipSync(readFileSync(chart)).toString();
    expect(values).toContain(`\n  digest: ${digest}\n`);
  });
});

const hindrance = noContainers() ?? (process.arch === 'x64' ? undefined : 'it is tried on x86-64');
if (hindrance !== undefined) console.warn(`the image that is released is NOT RUN: ${hindrance}`);
(made && hindrance === undefined ? describe : describe.skip)('the image that is released', () => {
  let image: Image;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'released-'));
    const layout = await openLayout(ARCHIVE);
    const index = layout.json<ImageIndex>(layout.index.manifests[0] as ImageIndex['manifests'][0]);
    image = await unpackImage(
      layout,
      layout.json<Manifest>(index.manifests[0] as ImageIndex['manifests'][0]),
    );
    layout.remove();
  });
  afterAll(() => {
    image?.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  test.each(['management-apiserver', 'management-agent', 'platform', 'kubectl-platform'])(
    'has %s',
    async (program) => {
      const container = startContainer(image, {
        command: [`/usr/local/bin/${program}`],
        args: ['--version'],
      });
      expect([await container.ended, container.log()]).toEqual([0, `${SERVER_VERSION}\n`]);
    },
  );

  test('has folders to write to for its user alone', () => {
    const of = (path: string): number[] => {
      const { uid, gid, mode } = statSync(join(image.root, path));
      return [uid, gid, mode & 0o777];
    };
    for (const path of ['home/nonroot', 'tmp']) expect(of(path)).toEqual([65_532, 65_532, 0o700]);
    for (const path of ['', 'app', 'app/dist', 'etc/passwd', 'nodejs/bin/node'])
      expect([path, ...of(path).slice(0, 2)]).toEqual([path, 0, 0]);
  });

  test('serves as another user than root on a read-only file system', async () => {
    const port = await freePort();
    const [data, keys] = [join(directory, 'data'), join(directory, 'keys')];
    for (const path of [data, keys]) mkdirSync(path);
    const kubeconfig = join(data, 'admin.kubeconfig');
    const container = startContainer(image, {
      args: [
        `--secure-port=${port}`,
        '--data-dir=/data',
        '--encryption-key-file=/keys/encryption.key',
        '--write-kubeconfig=/data/admin.kubeconfig',
      ],
      mounts: [
        { path: '/data', from: data, readOnly: false },
        { path: '/keys', from: keys, readOnly: false },
      ],
    });
    try {
      await eventually('it is ready', async () => {
        const url = `https://127.0.0.1:${port}/readyz`;
        return (await fetchFrom(url, { token: '' }).catch(() => undefined))?.status === 200;
      });
      await eventually('it says that it serves', async () => container.log().includes('Serving on'));
      const { run } = kubectl({ kubeconfig, directory });
      run(['create', '-f', '-'], { input: SECRET });
      const name = ['sharedsecret', 'from-the-image', '--namespace=default'];
      expect(run(['get', ...name, '--output=jsonpath={.spec.data.password}'])).toBe('aHVudGVyMg==');
      expect(statSync(join(keys, 'encryption.key')).uid).toBe(65_532);
      expect(await container.stop()).toBe(0);
    } catch (error) {
      await container.kill();
      throw new Error(`the server said: ${container.log()}`, { cause: error });
    }
  });

  test('cannot write anywhere else', async () => {
    const container = startContainer(image, { args: ['--data-dir=/app/data'] });
    expect([await container.ended, container.log()]).toEqual([1, expect.stringContaining('read-only')]);
  });
});

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
