import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, must, type Client } from '../client.js';
import { pathOf } from '../objects.js';
import { findTool, freePort, start } from '../processes.js';
import { crd, CRD_NAME } from './crd.js';
import { startEtcd } from './etcd.js';
import { ADMIN_TOKEN, TOKEN_LINES, type Target, type TargetOptions } from './target.js';

const ESTABLISHED_TRIES = 200;

interface CrdStatus {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The real kube-apiserver on an etcd of its own, with SharedSecret as a CRD. Throws where it is not installed. */
export async function startKubeApiserver({ folder }: TargetOptions): Promise<Target> {
  const program = findTool('kube-apiserver');
  if (program === undefined) throw new Error('kube-apiserver is not installed; run make tools');
  const etcd = await startEtcd(folder);
  const port = await freePort();
  const server = start(program, flags(folder, etcd.url, port), join(folder, 'server.log'));
  const endpoint = { port, token: ADMIN_TOKEN };
  const client = createClient(endpoint, 1);
  const readySeconds = await server.waitUntil(
    async () => (await client.send({ path: '/readyz' })).code === 200,
  );
  await establish(client);
  client.close();
  return {
    name: 'kube-apiserver',
    endpoint,
    pid: server.pid,
    storePid: etcd.pid,
    readySeconds,
    eventLoop: false,
    async stop() {
      await server.stop();
      await etcd.stop();
    },
  };
}

function flags(folder: string, etcd: string, port: number): string[] {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return [
    `--etcd-servers=${etcd}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--cert-dir=${join(folder, 'pki')}`,
    `--token-auth-file=${file('tokens.csv', TOKEN_LINES)}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub', publicKey)}`,
    `--service-account-signing-key-file=${file('sa.key', privateKey)}`,
  ];
}

/** Creates the CRD and waits until its objects can be listed. */
async function establish(client: Client): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await must(client, { method: 'POST', path: definitions, body: JSON.stringify(crd()) });
  for (let tries = 0; tries < ESTABLISHED_TRIES; tries++) {
    const { body } = await must(client, { path: `${definitions}/${CRD_NAME}` });
    const { status } = JSON.parse(body.toString()) as CrdStatus;
    const established = status?.conditions?.some(
      (one) => one.type === 'Established' && one.status === 'True',
    );
    if (established === true && (await client.send({ path: pathOf('default') })).code === 200) return;
    await sleep(50);
  }
  throw new Error(`${CRD_NAME} is not served`);
}
