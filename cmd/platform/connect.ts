import { readFile } from 'node:fs/promises';
import type { Verb } from './cli.js';
import type { Client } from './client.js';
import { newCluster } from './createcluster.js';
import { Failure } from './failure.js';

const EXAMPLES = `
Example:
  platform connect cluster prod --kubeconfig-file prod.yaml
`;

interface ConnectOptions {
  readonly kubeconfigFile: string;
  readonly displayName?: string;
}

const SYSTEM_NAMESPACE = 'management-system';
const KEY = 'config';

/** `platform connect cluster NAME`: keeps a kubeconfig in a Secret, and makes a Cluster of it. */
export const connect: Verb = (program, cli) => {
  program
    .command('connect')
    .description('Connect a cluster.')
    .command('cluster <name>')
    .description('Connect a cluster by a kubeconfig with inline credentials.')
    .requiredOption('--kubeconfig-file <file>', 'Its kubeconfig.')
    .option('--display-name <text>', 'Name shown in the UI.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { kubeconfigFile, displayName }: ConnectOptions) => {
      const config = await readKubeconfig(kubeconfigFile);
      const client = await cli.connect();
      const secretName = `cluster-${name}`;
      await createSecret(client, secretName, config);
      await newCluster(client, name, {
        ...(displayName !== undefined && { displayName }),
        config: { secretName, secretNamespace: SYSTEM_NAMESPACE, key: KEY },
      });
      cli.terminal.tell(`Connected cluster "${name}"; "platform list cluster" shows whether it answers.`);
    });
};

async function readKubeconfig(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new Failure('failed', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

async function createSecret(client: Client, name: string, config: Buffer): Promise<void> {
  await client.post(`/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets`, {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name },
    data: { [KEY]: config.toString('base64') },
  });
}
