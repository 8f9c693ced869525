/** Another kubeconfig for a cluster that is connected by one already. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { ifFound, type Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { hasAgentUser } from './agentidentity.js';
import { isKept, keptConfigOf, replaceConfig } from './keptconfig.js';

/** Reason in the status of a Cluster that names no kubeconfig, which one has while it gets another. */
export const FORGOTTEN = 'NoKubeconfig';
const FORGOTTEN_TIMEOUT_MS = 5_000;
const CHECK_INTERVAL_MS = 100;

/**
 * Puts a kubeconfig in the place of the one that a Cluster has. What puts the earlier one back. Rejects with Failure where this program
 * has not connected it by a kubeconfig, with nothing changed.
 */
export async function renewConfig(
  client: Client,
  cluster: Cluster,
  config: Buffer,
): Promise<() => Promise<unknown>> {
  const { name = '' } = cluster.metadata;
  await mustBeByKubeconfig(client, name, cluster.spec);
  if (cluster.status?.phase === 'Ready' && (await isKept(client, name, config)))
    return () => Promise.resolve();
  const putBack = await replaceConfig(client, name, config);
  const undo = async (): Promise<unknown> => {
    await putBack();
    return setConfig(client, name, keptConfigOf(name));
  };
  try {
    await setConfig(client, name, null);
    await untilForgotten(client, name);
    await setConfig(client, name, keptConfigOf(name));
    return undo;
  } catch (error) {
    await undo().catch(() => undefined);
    throw error;
  }
}

/** `spec` may name no kubeconfig where this program ended in between. */
async function mustBeByKubeconfig(client: Client, name: string, spec: Cluster['spec']): Promise<void> {
  const { secretName = '', secretNamespace } = spec?.config ?? {};
  const own = keptConfigOf(name);
  if (secretName === own.secretName && secretNamespace === own.secretNamespace) return;
  const advice = `disconnect it with "platform disconnect cluster ${name}", or take another name`;
  if (secretName !== '')
    throw new Failure(
      'conflict',
      `cluster "${name}" has its kubeconfig in the Secret ${secretNamespace}/${secretName}, which this command has not made`,
      { advice: `change the value of that Secret, or ${advice}` },
    );
  if (spec?.local === true || (await hasAgentUser(client, name)))
    throw new Failure('conflict', `cluster "${name}" is connected without a kubeconfig`, { advice });
}

/** A Cluster uses a kubeconfig by the right of who sets it, and again after its Secret was deleted, once it is set anew. */
const setConfig = (
  client: Client,
  name: string,
  config: Readonly<Record<string, string>> | null,
): Promise<unknown> => client.merge({ resource: 'clusters', name }, { spec: { config } });

/** Until the status tells nothing of the earlier kubeconfig: what it tells then is of the new one. */
async function untilForgotten(client: Client, name: string): Promise<void> {
  for (const end = performance.now() + FORGOTTEN_TIMEOUT_MS; performance.now() < end;) {
    const cluster = await ifFound(client.get<Cluster>({ resource: 'clusters', name }));
    if (cluster?.status?.reason === FORGOTTEN) return;
    await sleep(CHECK_INTERVAL_MS);
  }
}
