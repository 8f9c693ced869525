import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { Cli, Verb } from '../../cli.js';
import { listOf, membersOf, textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import { type Client, ifFound } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { projectNamespace } from '../../project.js';
import { findOf, unknownNames } from '../nouns/unknownnames.js';
import { confirm } from '../../output/terminal.js';
import { hasAgentUser, removeIdentity } from './agentidentity.js';
import { hasKeptConfig, removeKeptConfig } from './keptconfig.js';
import { DEFAULT_NAMESPACE, installedCluster, uninstall } from './helm.js';

/** How many spaces the warning names. */
const NAMED_SPACES = 10;

const EXAMPLES = `
Example:
  platform disconnect cluster prod

Namespaces of spaces stay in the cluster: delete the spaces before, to remove them.
`;

interface DisconnectOptions {
  readonly yes?: boolean;
  readonly agentNamespace: string;
  readonly kubeContext?: string;
  readonly keepAgent?: boolean;
}

/** `platform disconnect cluster NAME`: removes all that `connect` makes. */
export const disconnect: Verb = (program, cli) => {
  program
    .command('disconnect')
    .description('Disconnect a cluster.')
    .command('cluster <name>')
    .description('Remove a cluster, its kubeconfig, its agent, and what the agent has at the server.')
    .option(
      '--kube-context <name>',
      'Context of your kubeconfig that the agent is in (default: the current one).',
    )
    .option('--agent-namespace <namespace>', 'Namespace of the agent.', DEFAULT_NAMESPACE)
    .option('--keep-agent', 'Leave what is in the cluster.')
    .option('-y, --yes', 'Do not ask.')
    .addHelpText('after', EXAMPLES)
    .action((name: string, options: DisconnectOptions) => disconnectCluster(cli, name, options));
};

async function disconnectCluster(cli: Cli, name: string, options: DisconnectOptions): Promise<void> {
  const client = await cli.connect();
  const known = await ifFound(client.get<Cluster>({ resource: 'clusters', name }));
  if (known === undefined && !(await hasLeft(client, name))) throw await noCluster(client, name);
  const config = known?.spec?.config;
  const byKubeconfig = (config?.secretName ?? '') !== '';
  await warnOfSpaces(cli, client, name);
  const question = `Disconnect cluster "${name}"? Spaces on it can no longer be used, and their namespaces stay.`;
  const sure = options.yes === true || (await confirm(cli.terminal, question, 'say --yes to disconnect it'));
  if (!sure) throw new Failure('failed', 'nothing was disconnected');
  if (!byKubeconfig && options.keepAgent !== true) await removeAgent(cli, name, options);
  await removeIdentity(client, name);
  if (byKubeconfig || known === undefined)
    await removeKeptConfig(client, name, config, (line) => cli.terminal.tell(line));
  cli.terminal.tell(`Disconnected cluster "${name}".`);
}

/** Whether there is something of a cluster that is gone. */
const hasLeft = async (client: Client, name: string): Promise<boolean> =>
  (await hasAgentUser(client, name)) || (await hasKeptConfig(client, name));

async function noCluster(client: Client, name: string): Promise<Failure> {
  const [why = `there is no cluster "${name}"`] = await unknownNames(client, { clusters: [name] });
  return new Failure('notFound', why);
}

/** Of those that the caller may list: their namespaces stay. */
async function warnOfSpaces(cli: Cli, client: Client, name: string): Promise<void> {
  const query = `fieldSelector=${encodeURIComponent(`spec.clusterRef.cluster=${name}`)}`;
  const spaces = listOf(membersOf(await findOf(client.get({ resource: 'spaceinstances', query }))).items);
  if (spaces.length === 0) return;
  const { length: prefix } = await projectNamespace(client, '');
  const named = spaces.slice(0, NAMED_SPACES).map((space) => {
    const { metadata } = membersOf(space);
    return `${textIn(metadata, 'namespace')?.slice(prefix)}/${textIn(metadata, 'name')}`;
  });
  const more = spaces.length > named.length ? ` and ${spaces.length - named.length} more` : '';
  cli.terminal.tell(
    `Warning: the namespaces of these spaces stay in cluster "${name}": ${named.join(', ')}${more}`,
  );
}

/** Of this cluster alone: the context may lead to another. */
async function removeAgent(
  cli: Cli,
  name: string,
  { agentNamespace: namespace, kubeContext }: DisconnectOptions,
): Promise<void> {
  const release = { namespace, kubeContext };
  const there = await installedCluster(release, cli.env).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw new Failure('failed', error.said, {
      advice: `name the context with --kube-context; or leave the agent with "platform disconnect cluster ${name} --keep-agent"`,
    });
  });
  if (there === name) return uninstall(release, cli.env);
  cli.terminal.tell(
    there === undefined
      ? `There is no agent in namespace ${namespace}.`
      : `The agent in namespace ${namespace} is that of cluster "${there}", and stays.`,
  );
}
