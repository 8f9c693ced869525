/** A cluster without an agent: its kubeconfig is in a Secret, and a Cluster names that. */
import type { Cli } from '../../cli.js';
import { ifFound, type Client } from '../../connection/client.js';
import { Failure, messageOf } from '../../failure.js';
import { readNamed } from '../../files/atomicfile.js';
import { orInterrupted } from '../../output/terminal.js';
import { DEFAULT_KEY, DEFAULT_NAMESPACE, newCluster } from '../createcluster.js';
import { keepConfig, secretNameOf } from './keptconfig.js';
import { untilConnected } from './untilconnected.js';
import { whyNot } from './whynot.js';

const TIMEOUT_MS = 60_000;

interface KubeconfigOptions {
  readonly kubeconfigFile: string;
  readonly displayName?: string;
  readonly wait: boolean;
}

/** What fails, or is interrupted, leaves nothing of what it has made. Rejects with Failure. */
export async function connectByKubeconfig(cli: Cli, name: string, options: KubeconfigOptions): Promise<void> {
  const config = await readNamed(options.kubeconfigFile);
  const server = await serverIn(options.kubeconfigFile, config);
  const client = await cli.connect();
  const made = make(client, name, config, options.displayName);
  try {
    await orInterrupted(made.then(() => untilReached(cli, client, { name, server, wait: options.wait })));
  } catch (error) {
    const undo = await made;
    await undo().catch((left: unknown) =>
      cli.terminal.tell(
        `Warning: it was not removed: ${messageOf(left)}; run "platform disconnect cluster ${name}"`,
      ),
    );
    throw error;
  }
}

interface Wanted {
  readonly name: string;
  readonly server: string;
  readonly wait: boolean;
}

async function untilReached(cli: Cli, client: Client, { name, server, wait }: Wanted): Promise<void> {
  if (!wait)
    return cli.terminal.tell(
      `Created cluster "${name}"; "platform get cluster ${name}" shows whether it answers.`,
    );
  await untilConnected(cli, client, {
    name,
    timeoutMs: TIMEOUT_MS,
    isExpected: () => true,
    whyNot: ({ message = '', reason }) => {
      const { mend, ...why } = whyNot(server, message, reason);
      const orAgent = `run the command again, or connect it by an agent with "platform connect cluster ${name}"`;
      return { ...why, advice: `nothing of it was kept: ${mend} and ${orAgent}` };
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

/** Makes the Secret and the Cluster. What removes both again, and no other of their names. */
async function make(
  client: Client,
  name: string,
  config: Buffer,
  displayName: string | undefined,
): Promise<() => Promise<unknown>> {
  const dropConfig = await keepConfig(client, name, config);
  try {
    const { metadata } = await newCluster(client, name, {
      ...(displayName !== undefined && { displayName }),
      config: { secretName: secretNameOf(name), secretNamespace: DEFAULT_NAMESPACE, key: DEFAULT_KEY },
    });
    return async () => {
      await ifFound(client.remove({ resource: 'clusters', name }, metadata.uid));
      return dropConfig();
    };
  } catch (error) {
    await dropConfig().catch(() => undefined);
    throw error;
  }
}
