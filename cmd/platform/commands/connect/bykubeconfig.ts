import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { membersOf } from '../../../../pkg/apimachinery/encoding/members.js';
import { ifFound, type Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { nameOf } from '../../output/output.js';
import { DEFAULT_KEY, DEFAULT_NAMESPACE, newCluster } from '../createcluster.js';
import { readNamed } from '../../files/atomicfile.js';

interface KubeconfigOptions {
  readonly kubeconfigFile: string;
  readonly displayName: string | undefined;
}

const SECRETS = `/api/v1/namespaces/${DEFAULT_NAMESPACE}/secrets`;

/** Keeps a kubeconfig in a Secret, and makes a Cluster of it. */
export async function connectByKubeconfig(
  client: Client,
  name: string,
  { kubeconfigFile, displayName }: KubeconfigOptions,
): Promise<void> {
  const config = await readNamed(kubeconfigFile);
  const secretName = secretNameOf(name);
  await keepConfig(client, secretName, config);
  try {
    await newCluster(client, name, {
      ...(displayName !== undefined && { displayName }),
      config: { secretName, secretNamespace: DEFAULT_NAMESPACE, key: DEFAULT_KEY },
    });
  } catch (error) {
    await client.erase(pathOf(secretName)).catch(() => undefined);
    throw error;
  }
}

/** Removes the Secret of a cluster that is gone. */
export async function removeKeptConfig(client: Client, name: string): Promise<void> {
  const secretName = secretNameOf(name);
  if ((await ifFound(client.read(pathOf(secretName)))) === undefined) return;
  await mustBeLeft(client, secretName);
  await client.erase(pathOf(secretName));
}

const secretNameOf = (cluster: string): string => `cluster-${cluster}`;
const pathOf = (secretName: string): string => `${SECRETS}/${encodeURIComponent(secretName)}`;

/** The Secret of a cluster that was deleted stays, and is replaced. Rejects with Failure as {@link mustBeLeft} does. */
async function keepConfig(client: Client, secretName: string, config: Buffer): Promise<void> {
  const secret = secretOf(secretName, config);
  try {
    await client.post(SECRETS, secret);
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== 'conflict') throw error;
    await mustBeLeft(client, secretName);
    await client.erase(pathOf(secretName));
    await client.post(SECRETS, secret);
  }
}

/** Rejects with Failure where a cluster uses the Secret, or it holds something else than a kubeconfig. */
async function mustBeLeft(client: Client, secretName: string): Promise<void> {
  const secret = `the Secret ${DEFAULT_NAMESPACE}/${secretName}`;
  const { items } = await client.get<{ readonly items: readonly Cluster[] }>({ resource: 'clusters' });
  const user = items.find(
    ({ spec }) =>
      spec?.config?.secretName === secretName && spec.config.secretNamespace === DEFAULT_NAMESPACE,
  );
  if (user !== undefined) throw new Failure('conflict', `cluster "${nameOf(user)}" has ${secret} already`);
  const { data } = membersOf(await client.read(pathOf(secretName)));
  if (Object.keys(membersOf(data)).join() !== DEFAULT_KEY)
    throw new Failure('conflict', `${secret} is there, and no kubeconfig: delete it, or take another name`);
}

const secretOf = (name: string, config: Buffer): object => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name },
  data: { [DEFAULT_KEY]: config.toString('base64') },
});
