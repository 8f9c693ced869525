import type { Command } from 'commander';
import type { Cluster } from '../../../api/management.svc.example/v1/cluster.js';
import type { Cli } from '../cli.js';
import type { Client } from '../connection/client.js';
import { managementObject } from '../objects.js';

const EXAMPLES = `
Example:
  platform create cluster prod --secret prod-kubeconfig

"platform connect cluster" makes the Secret too.
`;

interface ClusterOptions {
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
    .option('--secret-namespace <namespace>', 'Its namespace (default: management-system).')
    .option('--key <key>', 'Its key that has the kubeconfig (default: config).')
    .option('--display-name <text>', 'Name shown in the UI.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, { secret, secretNamespace, key, displayName }: ClusterOptions) => {
      await newCluster(await cli.connect(), name, {
        ...(displayName !== undefined && { displayName }),
        config: {
          secretName: secret,
          ...(secretNamespace !== undefined && { secretNamespace }),
          ...(key !== undefined && { key }),
        },
      });
      cli.terminal.tell(`Created cluster "${name}".`);
    });
}

export async function newCluster(
  client: Client,
  name: string,
  spec: NonNullable<Cluster['spec']>,
): Promise<void> {
  await client.create({ resource: 'clusters' }, managementObject('Cluster', { name }, { spec }));
}
