/** The released charts as OCI artifacts: from their layouts through a registry into a cluster. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import { made } from '../../fixtures/host/apiservice.js';
import { ROOT } from '../../fixtures/host/containerimage.js';
import { helmIn, type HelmCommand } from '../../fixtures/clients/helmcommand.js';
import { NEWEST_HOST, type HostCluster } from '../../fixtures/host/hostcluster.js';
import { plainHost } from '../../fixtures/plainhosts/plainhost.js';
import { startOciRegistry, type OciRegistry } from '../../fixtures/host/ociregistry.js';
import { describeWith } from '../../fixtures/program.js';
import { eventually } from '../../fixtures/wait.js';
import {
  makeRelease,
  openLayout,
  RELEASE,
  type Layout,
  type Manifest,
} from '../../fixtures/servers/released.js';

const CHARTS = ['management-apiserver', 'management-agent'];
const NAMESPACE = 'management';
const IMAGE = 'management-apiserver';
/** The names under which .github/workflows/release.yml publishes the image and the charts. */
const PUBLISHED = 'owner/repository';
/** The install command of README.md for users without a clone. */
const INSTALL =
  /^helm (install management-apiserver oci:[^\n]*\\\n[^\n]*)$/m.exec(
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
  )?.[1] ?? '';
const archiveOf = (name: string): string => join(RELEASE, `${name}-${SERVER_VERSION}.oci.tar`);

const hasImage = await makeRelease();

describe('the layout of a chart', () => {
  test.each(CHARTS)('has the archive that is released, and its metadata: %s', async (name) => {
    const layout: Layout = await openLayout(archiveOf(`${name}-chart`));
    try {
      const [named] = layout.index.manifests;
      if (named === undefined) throw new Error('the index of the layout is empty');
      expect(named.annotations).toEqual({ 'org.opencontainers.image.ref.name': SERVER_VERSION });
      const { config, layers } = layout.json<Manifest>(named);
      expect(config.mediaType).toBe('application/vnd.cncf.helm.config.v1+json');
      expect(layout.json(config)).toMatchObject({ apiVersion: 'v2', name, version: SERVER_VERSION });
      expect(layers.map(({ mediaType }) => mediaType)).toEqual([
        'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
      ]);
      const [content = config] = layers;
      const archive = readFileSync(join(RELEASE, `${name}-chart-${SERVER_VERSION}.tgz`));
      expect(readFileSync(layout.path(content)).equals(archive)).toBe(true);
    } finally {
      layout.remove();
    }
  });
});

if (!hasImage)
  console.warn('the chart is NOT INSTALLED from a registry: there is no image that it could name');
(hasImage ? describeWith(NEWEST_HOST.apiserver, 'etcd', 'helm', 'docker-registry', 'skopeo') : describe.skip)(
  'the chart in a registry',
  () => {
    let registry: OciRegistry;
    let host: HostCluster;
    let helm: HelmCommand;
    beforeAll(async () => {
      registry = await startOciRegistry();
      registry.push(archiveOf(`${IMAGE}-image`), IMAGE, SERVER_VERSION);
      for (const name of CHARTS) registry.push(archiveOf(`${name}-chart`), `charts/${name}`, SERVER_VERSION);
      host = await plainHost(NEWEST_HOST);
      helm = helmIn(host, NAMESPACE);
      await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    });
    afterAll(async () => {
      await host?.stop();
      await registry?.stop();
    });

    test.each(CHARTS)('keeps its digest, and Helm pulls the archive that is released: %s', async (name) => {
      const layout = await openLayout(archiveOf(`${name}-chart`));
      const digest = layout.index.manifests[0]?.digest;
      layout.remove();
      expect(await registry.digestOf(`charts/${name}`, SERVER_VERSION)).toBe(digest);
      const reference = `oci://${registry.address}/charts/${name}`;
      const flags = ['--version', SERVER_VERSION, '--plain-http', '--destination', host.directory];
      const { code, out, err } = await helm('pull', reference, ...flags);
      expect({ code, err }).toEqual({ code: 0, err: expect.anything() });
      expect(out + err).toContain(`Digest: ${digest}`);
      const pulled = readFileSync(join(host.directory, `${name}-${SERVER_VERSION}.tgz`));
      expect(pulled.equals(readFileSync(join(RELEASE, `${name}-chart-${SERVER_VERSION}.tgz`)))).toBe(true);
    });

    /** The images of the installed servers. */
    const images = async (): Promise<string[]> => {
      const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/management-apiserver`;
      const { status, text } = await host.api.send('GET', path);
      expect(status).toBe(200);
      const deployment: { spec: { template: { spec: { containers: { image: string }[] } } } } =
        JSON.parse(text);
      return deployment.spec.template.spec.containers.map((container) => container.image);
    };

    test('is installed from where it is published by the line of README.md', async () => {
      registry.push(archiveOf(`${IMAGE}-image`), PUBLISHED, SERVER_VERSION);
      for (const name of CHARTS)
        registry.push(archiveOf(`${name}-chart`), `${PUBLISHED}/charts/${name}`, SERVER_VERSION);
      const published = `${registry.address}/${PUBLISHED}`;
      const words = INSTALL.replaceAll('$PUBLISHED', published).split(/[\s\\]+/);
      expect(words).toContain(`--namespace`);
      const { code, err } = await helm(...words, '--plain-http');
      expect({ code, err }).toEqual({ code: 0, err: expect.anything() });
      expect(await images()).toEqual([`${published}@${await registry.digestOf(PUBLISHED, SERVER_VERSION)}`]);
      const removed = await helm('uninstall', 'management-apiserver', '--no-hooks');
      expect(removed).toMatchObject({ code: 0 });
      // The chart does not install beside what an earlier release stored without its keys.
      const claims = `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`;
      await host.api.send('DELETE', claims);
      await eventually('the volumes are gone', async () => {
        const { text } = await host.api.send('GET', claims);
        return (JSON.parse(text) as { items: readonly object[] }).items.length === 0;
      });
    });

    test('is installed by its digest, with the image that the registry has', async () => {
      const chart = `oci://${registry.address}/charts/management-apiserver`;
      const digest = await registry.digestOf('charts/management-apiserver', SERVER_VERSION);
      const repository = `${registry.address}/${IMAGE}`;
      const flags = ['--plain-http', '--set', `image.repository=${repository}`];
      const { code, err } = await helm('install', 'management-apiserver', `${chart}@${digest}`, ...flags);
      expect({ code, err }).toEqual({ code: 0, err: expect.anything() });
      const image = await registry.digestOf(IMAGE, SERVER_VERSION);
      expect(await images()).toEqual([`${repository}@${image}`]);
      expect(await registry.digestOf(IMAGE, image ?? '')).toBe(image);
    });
  },
);
