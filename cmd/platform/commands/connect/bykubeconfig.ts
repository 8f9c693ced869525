import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
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
  await keepConfig(client, name, config);
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

/**
 * Removes the Secret that {@link connectByKubeconfig} made for a Cluster that is gone, whose `config` named this one or nothing is known
 * of. Whether there was one; `tell` says which Secret stays.
 */
export async function removeKeptConfig(
  client: Client,
  cluster: string,
  config: Config | undefined,
  tell: (line: string) => void,
): Promise<boolean> {
  const { secretName = secretNameOf(cluster), secretNamespace = DEFAULT_NAMESPACE } = config ?? {};
  const isKept = secretName === secretNameOf(cluster) && secretNamespace === DEFAULT_NAMESPACE;
  const known = isKept ? await ifFound(client.read(pathOf(secretName))) : undefined;
  const isOurs = known !== undefined && isMadeFor(known, cluster);
  if (isOurs && (await userOf(client, secretName, cluster)) === undefined) {
    await client.erase(pathOf(secretName));
    return true;
  }
  if (config !== undefined && !(isKept && known === undefined))
    tell(`The Secret ${secretNamespace}/${secretName} stays.`);
  return false;
}

type Config = NonNullable<NonNullable<Cluster['spec']>['config']>;

/** Annotation of the Secrets of this program: the Cluster that each was made for. */
const KUBECONFIG_OF = 'management.svc.example/kubeconfig-of';

const isMadeFor = (secret: unknown, cluster: string): boolean =>
  textIn(membersOf(membersOf(secret).metadata).annotations, KUBECONFIG_OF) === cluster;

const secretNameOf = (cluster: string): string => `cluster-${cluster}`;
const pathOf = (secretName: string): string => `${SECRETS}/${encodeURIComponent(secretName)}`;

/** The Secret of a cluster that was deleted stays, and is replaced. Rejects with Failure as {@link mustBeLeft} does. */
async function keepConfig(client: Client, cluster: string, config: Buffer): Promise<void> {
  const secretName = secretNameOf(cluster);
  const secret = secretOf(cluster, config);
  try {
    await client.post(SECRETS, secret);
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== 'conflict') throw error;
    await mustBeLeft(client, cluster);
    await client.erase(pathOf(secretName));
    await client.post(SECRETS, secret);
  }
}

/** Rejects with Failure where a cluster uses the Secret, or this program has not made it. */
async function mustBeLeft(client: Client, cluster: string): Promise<void> {
  const secretName = secretNameOf(cluster);
  const secret = `the Secret ${DEFAULT_NAMESPACE}/${secretName}`;
  const user = await userOf(client, secretName);
  if (user !== undefined) throw new Failure('conflict', `cluster "${nameOf(user)}" has ${secret} already`);
  if (!isMadeFor(await client.read(pathOf(secretName)), cluster))
    throw new Failure('conflict', `${secret} is there already: delete it, or take another name`);
}

/** A Cluster that uses the Secret, besides `except`. */
async function userOf(client: Client, secretName: string, except?: string): Promise<Cluster | undefined> {
  const { items } = await client.get<{ readonly items: readonly Cluster[] }>({ resource: 'clusters' });
  return items.find(
    ({ metadata, spec }) =>
      metadata.name !== except &&
      spec?.config?.secretName === secretName &&
      spec.config.secretNamespace === DEFAULT_NAMESPACE,
  );
}

const secretOf = (cluster: string, config: Buffer): object => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: secretNameOf(cluster), annotations: { [KUBECONFIG_OF]: cluster } },
  data: { [DEFAULT_KEY]: config.toString('base64') },
});
