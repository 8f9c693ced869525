import type { Verb } from '../cli.js';
import { newCluster } from './createcluster.js';
import { readNamed } from '../files/files.js';

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
const SECRETS = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets`;

/** `platform connect cluster NAME`: keeps a kubeconfig in a Secret, and makes a Cluster of it. */
export const connect: Verb = (program, cli) => {
  program
    .command('connect')
    .description('Connect a cluster.')
    .command('cluster <name>')
    .description('Connect a cluster, with a kubeconfig that has inline credentials.')
    .requiredOption('--kubeconfig-file <file>', 'Its kubeconfig.')
    .option('--display-name <text>', 'Name shown in the UI.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { kubeconfigFile, displayName }: ConnectOptions) => {
      const config = await readNamed(kubeconfigFile);
      const client = await cli.connect();
      const secretName = `cluster-${name}`;
      await client.post(SECRETS, secretOf(secretName, config));
      try {
        await newCluster(client, name, {
          ...(displayName !== undefined && { displayName }),
          config: { secretName, secretNamespace: SYSTEM_NAMESPACE, key: KEY },
        });
      } catch (error) {
        await client.erase(`${SECRETS}/${encodeURIComponent(secretName)}`).catch(() => undefined);
        throw error;
      }
      cli.terminal.tell(`Connected cluster "${name}"; "platform list cluster" shows whether it answers.`);
    });
};

const secretOf = (name: string, config: Buffer): object => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name },
  data: { [KEY]: config.toString('base64') },
});
