import type { Command } from 'commander';
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { Cli } from '../cli.js';
import type { Client } from '../connection/client.js';
import { managementObject } from '../objects.js';
import { UNKNOWN_OPTION, warnAndAsk, YES_OPTION, type NamesOptions } from '../output/warnings.js';
import { unknownSecretKey } from './nouns/unknownnames.js';

const EXAMPLES = `
Example:
  platform create cluster prod --secret prod-kubeconfig

"platform connect cluster" makes the Secret too.
`;

/** The server's defaults for the kubeconfig of a Cluster. */
export const DEFAULT_NAMESPACE = 'management-system';
export const DEFAULT_KEY = 'config';

interface ClusterOptions extends NamesOptions {
  readonly secret: string;
  readonly secretNamespace?: string;
  readonly key?: string;
  readonly displayName?: string;
}

/** `platform create cluster NAME`: of a Secret that is there already. */
export function createCluster(command: Command, cli: Cli): void {
  command
    .command('cluster <name>')
    .description('Create a connected cluster from a Secret that has its kubeconfig.')
    .requiredOption('--secret <name>', 'The Secret.')
    .option('--secret-namespace <namespace>', `Its namespace (default: ${DEFAULT_NAMESPACE}).`)
    .option('--key <key>', `Its key that has the kubeconfig (default: ${DEFAULT_KEY}).`)
    .option('--display-name <text>', 'Name shown in the UI.')
    .option(...UNKNOWN_OPTION)
    .option(...YES_OPTION)
    .addHelpText('after', EXAMPLES)
    .action((name: string, options: ClusterOptions) => createFromSecret(cli, name, options));
}

async function createFromSecret(cli: Cli, name: string, options: ClusterOptions): Promise<void> {
  const { secret, secretNamespace, key, displayName } = options;
  const client = await cli.connect();
  const place = { namespace: secretNamespace ?? DEFAULT_NAMESPACE, name: secret, key: key ?? DEFAULT_KEY };
  await warnAndAsk(cli, { unknown: await unknownSecretKey(client, place) }, options);
  await newCluster(client, name, {
    ...(displayName !== undefined && { displayName }),
    config: {
      secretName: secret,
      ...(secretNamespace !== undefined && { secretNamespace }),
      ...(key !== undefined && { key }),
    },
  });
  cli.terminal.tell(`Created cluster "${name}".`);
}

export const newCluster = (
  client: Client,
  name: string,
  spec: NonNullable<Cluster['spec']>,
): Promise<Cluster> =>
  client.create({ resource: 'clusters' }, managementObject('Cluster', { name }, { spec }));
