/** docs/recipes/cert-manager.md: a standalone server serves with a certificate of cert-manager, and takes up its renewals. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { blocksOf } from '../docs/page.js';
import { type Kubectl, kubectl } from '../fixtures/clients/kubectl.js';
import { shownCertificate } from '../fixtures/clients/shown.js';
import { fileOf, recipe } from '../fixtures/docs/recipes.js';
import {
  type CertManager,
  type Issued,
  issued,
  renew,
  startCertManager,
} from '../fixtures/recipes/certmanager.js';
import { type HostCluster, NEWEST_HOST, startHost } from '../fixtures/host/hostcluster.js';
import { describeWith } from '../fixtures/program.js';
import { type ServerFixture, startServer } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const PAGE = recipe('cert-manager');
const SECRET = { namespace: 'default', name: 'management-tls' };
const NAME = 'management.example.com';

/** The flags of the page, for a volume elsewhere. */
const flagsFor = (volume: string): string[] => {
  const block = blocksOf(PAGE).find(({ text }) => text.startsWith('management-apiserver --tls'));
  const [, ...words] = block?.text.trim().split(' ') ?? [];
  expect(words).toHaveLength(4);
  return words.map((word) => word.replace('/tls/', `${volume}/`));
};

/** As a kubelet does it: each state of the Secret in a folder of its own, and a link that changes at once. */
function mount(volume: string, version: string, files: Issued): void {
  mkdirSync(join(volume, version), { recursive: true });
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(volume, version, name), text as string);
  symlinkSync(version, join(volume, '..next'));
  renameSync(join(volume, '..next'), join(volume, '..data'));
  for (const name of Object.keys(files)) {
    rmSync(join(volume, name), { force: true });
    symlinkSync(join('..data', name), join(volume, name));
  }
}

describeWith(
  'cert-manager',
  'kubectl',
  NEWEST_HOST.apiserver,
)('cert-manager, for a standalone server', () => {
  let host: HostCluster;
  let admin: Kubectl;
  let certManager: CertManager;
  let server: ServerFixture;
  let volume: string;
  let first: Issued;

  beforeAll(async () => {
    host = await startHost(NEWEST_HOST);
    admin = kubectl({ kubeconfig: host.kubeconfig, directory: host.directory });
    certManager = await startCertManager(host, admin);
    admin.run(['create', '-f', '-'], { input: fileOf(PAGE, 'certificate.yaml') });
    first = await issued(host, SECRET, () => true);
    volume = join(host.directory, 'tls');
    mount(volume, 'first', first);
    server = await startServer({ flags: flagsFor(volume) });
  });
  afterAll(async () => {
    await server?.remove();
    await certManager?.stop();
    await host?.stop();
  });

  const shown = () => shownCertificate(server.url, { servername: NAME, ca: certManager.authority });

  test('signs a certificate for the name of the page, which the server shows', async () => {
    expect(admin.run(['wait', '--for=condition=Ready', 'certificate/management', '--timeout=60s'])).toContain(
      'met',
    );
    expect(first['ca.crt']).toBe(certManager.authority);
    const certificate = await shown();
    expect(certificate.subjectAltName).toBe(`DNS:${NAME}`);
    expect(certificate.toString()).toBe(first['tls.crt']);
  });

  test('renews it, and the server shows the next one without a restart', async () => {
    const pid = server.pid();
    renew(admin, SECRET.namespace, 'management');
    const next = await issued(host, SECRET, (found) => found['tls.crt'] !== first['tls.crt']);
    expect(next['tls.key']).not.toBe(first['tls.key']);
    mount(volume, 'next', next);
    await eventually('the next certificate', async () => (await shown()).toString() === next['tls.crt']);
    expect(server.pid()).toBe(pid);
  });
});
