/** The pages about users and what they do with `platform` and kubectl, command by command. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as jose from 'jose';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { issueAuthority, issueServing } from '../../pkg/pki/issue.js';
import { client } from '../fixtures/clients/client.js';
import { describeWith } from '../fixtures/program.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';
import { readPage } from './page.js';
import { follow, startReader, type Reader } from './reader.js';

const API = '/apis/management.svc.example/v1';
const URL = 'https://management.example.com';
const POD_TOKEN = '/var/run/secrets/tokens/management';

/** The issuers and rules of the page, and a token of a Pod for the last of them. */
async function workloads(folder: string): Promise<string> {
  const page = readPage('docs/tokens-and-login.md');
  const [, yaml = ''] = /```yaml\n([^`]*kind: WorkloadIdentityConfiguration\n[^]*?)```/.exec(page) ?? [];
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await jose.exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' };
  writeFileSync(join(folder, 'cluster-keys.json'), JSON.stringify({ keys: [jwk] }));
  writeFileSync(join(folder, 'workload.yaml'), yaml);
  return new jose.SignJWT({ sub: 'system:serviceaccount:ci:builder' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer('https://kubernetes.default.svc.cluster.local')
    .setAudience(URL)
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(privateKey);
}

describeWith('kubectl', 'helm')('every command of', () => {
  let folder: string;
  let reader: Reader;
  /** What is connected as `east`. */
  let cluster: ServerFixture;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docs-'));
    writeFileSync(join(folder, 'token'), await workloads(folder));
    const flags = [`--workload-identity-config=${join(folder, 'workload.yaml')}`];
    [reader, cluster] = await Promise.all([startReader({ controllers: '*', flags }), startServer()]);
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    await create('users', 'anna', {});
    const config = base64(readFileSync(cluster.kubeconfig, 'utf8'));
    await create('/api/v1/namespaces/management-system/secrets', 'east', undefined, { data: { config } });
    await create('clusters', 'east', { config: { secretName: 'east' } });
    await create('projects', 'web', { allowedClusters: [{ name: '*' }] });
    const secrets = 'namespaces/loft-p-web/projectsecrets';
    await create(secrets, 'database', { data: { password: base64('s3cret') } });
    await create(secrets, 'deploy', { data: { token: base64('t0ken') } });
    await create('namespaces/loft-p-web/spaceinstances', 'staging', { clusterRef: { cluster: 'east' } });
  });
  afterAll(async () => {
    await Promise.all([reader?.remove(), cluster?.remove()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function create(path: string, name: string, spec?: object, more: object = {}): Promise<void> {
    const whole = path.startsWith('/') ? path : `${API}/${path}`;
    const { status, text } = await client(reader.server).send('POST', whole, {
      metadata: { name },
      spec,
      ...more,
    });
    if (status !== 201) throw new Error(`${whole} ${name}: ${text}`);
  }
  /** Later pages begin without a login. */
  const logOut = (): void => rmSync(join(reader.home, '.config/platform'), { recursive: true, force: true });

  test('docs/platform.md', async () => {
    await follow(reader, 'docs/platform.md', {
      words: {
        [`platform login ${URL}`]: `PLATFORM_ACCESS_KEY=${ADMIN_TOKEN} platform login ${reader.server.url} --ca-file ca.crt`,
      },
    });
    logOut();
  });

  test('docs/tokens-and-login.md', async () => {
    writeFileSync(join(reader.home, 'deploy-it'), '#!/bin/sh\n[ "$password" = s3cret ]\n', { mode: 0o755 });
    await follow(reader, 'docs/tokens-and-login.md', {
      words: {
        // At a terminal it asks.
        'token revoke': 'token revoke --yes',
        'revoke --yes ID': (printed) =>
          `revoke --yes ${jose.decodeJwt(/ey\w+\.\w+\.[\w-]+/.exec(printed)?.[0] ?? '').jti}`,
        [POD_TOKEN]: join(folder, 'token'),
        [URL]: reader.server.url,
        './deploy': './deploy-it',
        'kubectl -n management create secret generic login': async () => {
          await create('/api/v1/namespaces', 'management');
          for (const file of ['login.yaml', 'client-secret']) writeFileSync(join(reader.home, file), '');
          return 'kubectl -n management create secret generic login';
        },
        // As on a machine that trusts the certificate of the server.
        'platform login https': 'NODE_EXTRA_CA_CERTS=ca.crt platform login https',
      },
    });
    logOut();
  });

  test('docs/single-sign-on.md', async () => {
    const login = `PLATFORM_ACCESS_KEY=${ADMIN_TOKEN} platform login ${reader.server.url} --ca-file ca.crt`;
    await follow(reader, 'docs/single-sign-on.md', {
      words: {
        'platform create project web': login,
        'platform create team ops': `${login}; platform create team ops`,
      },
    });
    logOut();
  });

  test('docs/troubleshooting.md', async () => {
    await eventually('the space is there', async () => {
      const path = `${API}/namespaces/loft-p-web/spaceinstances/staging`;
      return (await client(reader.server).send('GET', path)).text.includes('"phase":"Ready"');
    });
    await follow(reader, 'docs/troubleshooting.md', {
      // It finds that the cluster has no agent.
      words: { 'doctor --space web/staging': 'doctor --space web/staging || [[ $? == 1 ]]' },
    });
  });

  test('docs/kinds.md', () => follow(reader, 'docs/kinds.md', { language: 'sh' }));

  test('docs/monitoring.md', async () => {
    const [, yaml = ''] =
      /```yaml\n(apiVersion: apiserver[^]*?)```/.exec(readPage('docs/monitoring.md')) ?? [];
    writeFileSync(join(reader.home, 'tracing.yaml'), yaml);
    await follow(reader, 'docs/monitoring.md', {
      words: {
        'seconds=10': 'seconds=1',
        'management-apiserver --tracing': 'serving management-apiserver --data-dir other --tracing',
      },
    });
  });

  test('docs/recipes/external-secrets.md', () => follow(reader, 'docs/recipes/external-secrets.md'));

  test('docs/recipes/cert-manager.md', async () => {
    const { certificate, key } = await issueServing(await issueAuthority('company'), ['127.0.0.1']);
    const tls = join(folder, 'tls');
    mkdirSync(tls);
    writeFileSync(join(tls, 'tls.crt'), certificate);
    writeFileSync(join(tls, 'tls.key'), key, { mode: 0o600 });
    await follow(reader, 'docs/recipes/cert-manager.md', {
      words: {
        '/tls/': `${tls}/`,
        'management-apiserver --tls': 'serving management-apiserver --data-dir other --tls',
      },
    });
  });

  test('docs/recipes/prometheus.md', async () => {
    // Its console is run by test/chart, with Prometheus.
    const words = { 'yq .spec': 'grep alert:' };
    await follow(reader, 'docs/recipes/prometheus.md', { language: 'sh', words });
    expect(readFileSync(join(reader.home, 'management-rules.yml'), 'utf8')).toContain(
      'ManagementStoreRefused',
    );
  });

  const anAdminKey = async (): Promise<string> => {
    const list = reader.server.isRunning()
      ? 'kubectl get ownedaccesskeys'
      : 'management-apiserver admin-key list --data-dir data | grep active';
    return /admin-kubeconfig-\w+/.exec((await reader.run(list)).text)?.[0] ?? 'none';
  };
  /** The store is locked while the server runs, and a server that starts again writes a key that is valid. */
  const restartAndStop = async (): Promise<string> => {
    await reader.server.restart();
    await reader.server.stop();
    return '--data-dir data';
  };
  const restarted = (command: string) => async () => {
    await reader.server.restart();
    return command;
  };

  test('docs/configuration.md', async () => {
    await follow(reader, 'docs/configuration.md', {
      words: {
        '--etcd-servers https://etcd:2379': restartAndStop,
        'admin-kubeconfig-x7k2p': anAdminKey,
        // Of the key that it is logged in by itself.
        'kubectl delete': `kubectl --token=${ADMIN_TOKEN} delete`,
      },
    });
  });

  test('docs/audit.md', async () => {
    await follow(reader, 'docs/audit.md', { words: { 'kubectl create': restarted('kubectl create') } });
  });

  test('docs/secrets-in-clusters.md', async () => {
    // The page of tokens invites her.
    await create('users', 'ada', {}).catch(() => undefined);
    await create('namespaces/default/sharedsecrets', 'registry', { data: {} });
    await follow(reader, 'docs/secrets-in-clusters.md');
  });

  test('docs/rotate.md', async () => {
    await create('ownedaccesskeys', 'web-ci', { user: 'anna' });
    await follow(reader, 'docs/rotate.md', { words: { NAME: 'anna' } });
    await follow(reader, 'docs/rotate.md', {
      inline: /^(platform|management-apiserver) \w/,
      words: {
        'revoke NAME': async () => {
          await reader.server.stop();
          return `revoke ${await anAdminKey()} --data-dir data`;
        },
        'management-apiserver encryption': restarted('management-apiserver encryption'),
        'encryption rotate': 'encryption rotate --data-dir data',
        'platform set': 'echo other | platform set',
        'accesskey NAME': 'accesskey web-ci',
        'user NAME': 'user anna --yes',
      },
    });
  });
});
