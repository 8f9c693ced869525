/** The Secrets that this program keeps kubeconfigs of clusters in. */
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import { ifFound, type Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { nameOf } from '../../output/output.js';
import { DEFAULT_KEY, DEFAULT_NAMESPACE } from '../createcluster.js';

const SECRETS = `/api/v1/namespaces/${DEFAULT_NAMESPACE}/secrets`;

/** Whether there is a Secret of this program for a Cluster. */
export async function hasKeptConfig(client: Client, cluster: string): Promise<boolean> {
  return isMadeFor(await ifFound(client.read(pathOf(secretNameOf(cluster)))), cluster);
}

/**
 * Removes the Secret that {@link keepConfig} made for a Cluster that is gone, whose `config` named this one or nothing is known
 * of. `tell` says which Secret stays.
 */
export async function removeKeptConfig(
  client: Client,
  cluster: string,
  config: Config | undefined,
  tell: (line: string) => void,
): Promise<void> {
  const { secretName = secretNameOf(cluster), secretNamespace = DEFAULT_NAMESPACE } = config ?? {};
  const isKept = secretName === secretNameOf(cluster) && secretNamespace === DEFAULT_NAMESPACE;
  const known = isKept ? await ifFound(client.read(pathOf(secretName))) : undefined;
  const isOurs = known !== undefined && isMadeFor(known, cluster);
  if (isOurs && (await userOf(client, secretName, cluster)) === undefined)
    return void (await client.erase(pathOf(secretName)));
  if (config !== undefined && !(isKept && known === undefined))
    tell(`The Secret ${secretNamespace}/${secretName} stays.`);
}

type Config = NonNullable<NonNullable<Cluster['spec']>['config']>;

/** Annotation of the Secrets of this program: the Cluster that each was made for. */
const KUBECONFIG_OF = 'management.svc.example/kubeconfig-of';

const isMadeFor = (secret: unknown, cluster: string): boolean =>
  textIn(membersOf(membersOf(secret).metadata).annotations, KUBECONFIG_OF) === cluster;

/** Where the kubeconfig of a Cluster is that this program connects. */
export const keptConfigOf = (cluster: string) => ({
  secretName: secretNameOf(cluster),
  secretNamespace: DEFAULT_NAMESPACE,
  key: DEFAULT_KEY,
});

const secretNameOf = (cluster: string): string => `cluster-${cluster}`;
const pathOf = (secretName: string): string => `${SECRETS}/${encodeURIComponent(secretName)}`;

/**
 * Keeps a kubeconfig in a Secret, in place of that of a cluster that was deleted. What removes it again, and no other of its name.
 * Rejects with Failure as {@link mustBeLeft} does.
 */
export async function keepConfig(
  client: Client,
  cluster: string,
  config: Buffer,
): Promise<() => Promise<unknown>> {
  const path = pathOf(secretNameOf(cluster));
  const make = (): Promise<unknown> => client.post(SECRETS, secretOf(cluster, config));
  const made = await make().catch(async (error: unknown) => {
    if (!(error instanceof Failure) || error.reason !== 'conflict') throw error;
    await mustBeLeft(client, cluster, await client.read(path));
    await client.erase(path);
    return make();
  });
  const uid = textIn(membersOf(made).metadata, 'uid');
  return () => ifFound(client.erase(path, uid));
}

/** Whether this program keeps that kubeconfig for the cluster. */
export async function isKept(client: Client, cluster: string, config: Buffer): Promise<boolean> {
  const known = await ifFound(client.read(pathOf(secretNameOf(cluster))));
  const value = textIn(membersOf(known).data, DEFAULT_KEY);
  return isMadeFor(known, cluster) && value === config.toString('base64');
}

/**
 * Writes another kubeconfig into the Secret that {@link keepConfig} made for a cluster, or makes it where it is gone. What puts the
 * earlier one back. Rejects with Failure where another cluster uses the Secret, or this program has not made it.
 */
export async function replaceConfig(
  client: Client,
  cluster: string,
  config: Buffer,
): Promise<() => Promise<unknown>> {
  const path = pathOf(secretNameOf(cluster));
  const known = membersOf(await ifFound(client.read(path)));
  if (known.metadata === undefined) return keepConfig(client, cluster, config);
  await mustBeLeft(client, cluster, known, cluster);
  const data = { ...membersOf(known.data), [DEFAULT_KEY]: config.toString('base64') };
  const written = membersOf(await client.put(path, { ...known, data }));
  return () => client.put(path, { ...written, data: known.data });
}

/** Rejects with Failure where a cluster besides `except` uses the Secret, or this program has not made it. */
async function mustBeLeft(client: Client, cluster: string, known: unknown, except?: string): Promise<void> {
  const secretName = secretNameOf(cluster);
  const secret = `the Secret ${DEFAULT_NAMESPACE}/${secretName}`;
  const user = await userOf(client, secretName, except);
  if (user !== undefined)
    throw new Failure('conflict', `cluster "${nameOf(user)}" has ${secret} already`, {
      advice: `disconnect it with "platform disconnect cluster ${nameOf(user)}", or take another name`,
    });
  if (!isMadeFor(known, cluster))
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
