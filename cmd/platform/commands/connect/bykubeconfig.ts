/** A cluster without an agent: its kubeconfig is in a Secret, and a Cluster names that. */
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { Cli } from '../../cli.js';
import { ifFound, type Client } from '../../connection/client.js';
import { Failure, messageOf } from '../../failure.js';
import { readNamed } from '../../files/atomicfile.js';
import { orInterrupted } from '../../output/terminal.js';
import { newCluster } from '../createcluster.js';
import { keepConfig, keptConfigOf } from './keptconfig.js';
import { FORGOTTEN, renewConfig } from './renew.js';
import { untilConnected } from './untilconnected.js';
import { whyNot } from './whynot.js';

const TIMEOUT_MS = 60_000;

interface KubeconfigOptions {
  readonly kubeconfigFile: string;
  readonly displayName?: string;
  readonly wait: boolean;
}

/** What fails, or is interrupted, leaves nothing of what it has made, or the earlier kubeconfig. Rejects with Failure. */
export async function connectByKubeconfig(
  cli: Cli,
  client: Client,
  name: string,
  options: KubeconfigOptions,
): Promise<void> {
  const config = await readNamed(options.kubeconfigFile);
  const server = await serverIn(options.kubeconfigFile, config);
  const made = make(client, name, config, options.displayName);
  try {
    await orInterrupted(
      made.then(({ isNew }) => untilReached(cli, client, { name, server, isNew, wait: options.wait })),
    );
  } catch (error) {
    const { isNew, undo } = await made;
    const left = isNew ? 'it was not removed' : 'the earlier kubeconfig was not put back';
    const then = isNew ? `run "platform disconnect cluster ${name}"` : 'run the command again with it';
    await undo().catch((why: unknown) => cli.terminal.tell(`Warning: ${left}: ${messageOf(why)}; ${then}`));
    throw error;
  }
}

interface Wanted {
  readonly name: string;
  readonly server: string;
  readonly isNew: boolean;
  readonly wait: boolean;
}

async function untilReached(cli: Cli, client: Client, { name, server, isNew, wait }: Wanted): Promise<void> {
  if (!wait)
    return cli.terminal.tell(
      `${isNew ? 'Created cluster' : 'Changed the kubeconfig of cluster'} "${name}"; "platform get cluster ${name}" shows whether it answers.`,
    );
  await untilConnected(cli, client, {
    name,
    timeoutMs: TIMEOUT_MS,
    isExpected: () => true,
    whyNot: ({ message = '', reason }) => {
      const { mend, ...why } = whyNot(server, reason === FORGOTTEN ? '' : message, reason);
      const kept = isNew ? 'nothing of it was kept' : 'the earlier kubeconfig is used again';
      const orAgent = isNew ? `, or connect it by an agent with "platform connect cluster ${name}"` : '';
      return { ...why, advice: `${kept}: ${mend} and run the command again${orAgent}` };
    },
  });
}

/** The URL in a kubeconfig that the server takes. Rejects with Failure, without a value of it. */
async function serverIn(file: string, config: Buffer): Promise<string> {
  // Other commands start faster without them.
  const { decodeYaml } = await import('../../../../pkg/apimachinery/encoding/yaml/yaml.js');
  const { aggregate } = await import('../../../../pkg/apimachinery/errors.js');
  const { checkKubeconfig } = await import('../../../../pkg/management/clusters/client/kubeconfig.js');
  const checked = checkKubeconfig(() => decodeYaml(config));
  if ('credentials' in checked) return checked.credentials.server;
  throw new Failure('failed', `${file} is refused: ${aggregate(checked.findings)}`, {
    advice:
      '"kubectl config view --minify --flatten" puts the content of files inside, and a token of a ServiceAccount stands for a program that logs in',
  });
}

interface Made {
  readonly isNew: boolean;
  /** Removes what was made, and no other of its name, or puts back what was replaced. */
  undo(): Promise<unknown>;
}

/** Makes the Secret and the Cluster, or gives the Cluster another kubeconfig. */
async function make(
  client: Client,
  name: string,
  config: Buffer,
  displayName: string | undefined,
): Promise<Made> {
  const known = await ifFound(client.get<Cluster>({ resource: 'clusters', name }));
  if (known !== undefined) return { isNew: false, undo: await renewConfig(client, known, config) };
  const dropConfig = await keepConfig(client, name, config);
  try {
    const { metadata } = await newCluster(client, name, {
      ...(displayName !== undefined && { displayName }),
      config: keptConfigOf(name),
    });
    const undo = async (): Promise<unknown> => {
      await ifFound(client.remove({ resource: 'clusters', name }, metadata.uid));
      return dropConfig();
    };
    return { isNew: true, undo };
  } catch (error) {
    await dropConfig().catch(() => undefined);
    throw error;
  }
}
