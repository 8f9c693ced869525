import { suggestion } from '../../../../pkg/apimachinery/similar.js';
import { dns1123Subdomain } from '../../../../pkg/apimachinery/validation/names.js';
import type { Cli, Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { centralEndpoint } from '../../direct/target.js';
import { Failure, usage } from '../../failure.js';
import { confirm } from '../../output/terminal.js';
import { agentKeys, joinToken, makeIdentity } from './agentidentity.js';
import { connectByKubeconfig } from './bykubeconfig.js';
import {
  asCommand,
  DEFAULT_CHART,
  DEFAULT_NAMESPACE,
  install,
  installedCluster,
  mustBeChart,
  printedArguments,
  type AgentChart,
} from './helm.js';
import { untilConnected } from './untilconnected.js';
import { untilJoined } from './untiljoined.js';

const EXAMPLES = `
Examples:
  platform connect cluster prod                                    installs an agent by your kubeconfig, which dials the server
  platform connect cluster prod --print                            prints the helm command, for somebody else within 15 minutes
  platform connect cluster prod --kubeconfig-file prod.yaml        without an agent, where the server reaches the cluster
`;
const AGENT_TIMEOUT_MS = 5 * 60_000;

interface ConnectOptions {
  readonly kubeconfigFile?: string;
  readonly displayName?: string;
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly wait: boolean;
  readonly serverUrl?: string;
  readonly chart: string;
  readonly agentNamespace: string;
  readonly kubeContext?: string;
  readonly set: readonly string[];
}

/** `platform connect cluster NAME`: by an agent in it, or by a kubeconfig. */
export const connect: Verb = (program, cli) => {
  program
    .command('connect')
    .description('Connect a cluster.')
    .command('cluster <name>')
    .description('Connect a cluster by an agent, which needs no inbound port, or by a kubeconfig.')
    .option('--kubeconfig-file <file>', 'Its kubeconfig, with inline credentials: no agent is installed.')
    .option('--display-name <text>', 'Name shown in the UI.')
    .option('--print', 'Print the command that installs the agent, instead of running it.')
    .option(
      '--kube-context <name>',
      'Context of your kubeconfig to install it in (default: the current one).',
    )
    .option('--agent-namespace <namespace>', 'Namespace of the agent.', DEFAULT_NAMESPACE)
    .option('--chart <chart>', 'Chart of the agent: a file, a folder or an OCI reference.', DEFAULT_CHART)
    .option('--set <key=value>', 'Value of the chart; may be repeated.', collected, [])
    .option(
      '--server-url <url>',
      'URL of the server, as the cluster reaches it (default: that of the login).',
    )
    .option('--no-wait', 'Do not wait until it is connected.')
    .option('-y, --yes', 'Do not ask.')
    .addHelpText('after', EXAMPLES)
    .action((name: string, options: ConnectOptions) => connectCluster(cli, name, options));
};

const collected = (value: string, before: readonly string[]): string[] => [...before, value];

async function connectCluster(cli: Cli, name: string, options: ConnectOptions): Promise<void> {
  mustBeName(name);
  const { kubeconfigFile } = options;
  if (kubeconfigFile === undefined) return connectByAgent(cli, name, options);
  if (options.print === true) throw usage('--print goes with an agent, and not with --kubeconfig-file');
  await connectByKubeconfig(cli, name, { ...options, kubeconfigFile });
}

/** Throws Failure, usage, before other objects are named after it. */
function mustBeName(name: string): void {
  if (dns1123Subdomain(name).length === 0) return;
  const near = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  throw usage(
    `"${name}" cannot be the name of a cluster, which has lower-case letters, digits and "-"${suggestion(name, [near])}`,
  );
}

async function connectByAgent(cli: Cli, name: string, options: ConnectOptions): Promise<void> {
  const { agentNamespace: namespace, kubeContext, print = false, wait } = options;
  const client = await cli.connect();
  const release = { namespace, kubeContext };
  if (!print) {
    await mustBeChart(options.chart, cli.env);
    await mustBeFree(cli, name, release, options.yes === true);
  }
  await makeIdentity(client, name, options.displayName);
  const chart: AgentChart = {
    ...release,
    ...serverOf(client, options.serverUrl),
    cluster: name,
    chart: options.chart,
    token: await joinToken(client, name),
    values: options.set,
  };
  if (print) {
    cli.write(`${asCommand(printedArguments(chart))}\n`);
    return cli.terminal.tell(
      `Run it in the cluster within 15 minutes: its token works once. "platform get cluster ${name}" shows when it is connected.`,
    );
  }
  await installAgent(cli, client, chart, wait);
}

async function installAgent(cli: Cli, client: Client, chart: AgentChart, wait: boolean): Promise<void> {
  const { cluster: name, namespace } = chart;
  const before = await agentKeys(client, name);
  cli.terminal.tell(`Installing the agent in namespace ${namespace} ...`);
  await install(chart, cli.env);
  if (!wait) return;
  const advice = `see what the agent says: "kubectl --namespace ${namespace} logs --selector app.kubernetes.io/name=management-agent --all-containers", then run the command again`;
  await untilJoined(client, { name, before, timeoutMs: AGENT_TIMEOUT_MS, advice });
  await untilConnected(cli, client, {
    name,
    timeoutMs: AGENT_TIMEOUT_MS,
    isExpected: ({ agent }) => agent !== undefined,
    whyNot: ({ message: said = '' }) => ({ said, advice, isFinal: false }),
  });
}

/** Rejects with Failure where the agent of another cluster is, and where somebody says no. */
async function mustBeFree(
  cli: Cli,
  name: string,
  release: Pick<AgentChart, 'namespace' | 'kubeContext'>,
  isSure: boolean,
): Promise<void> {
  const there = await installedCluster(release, cli.env);
  if (there !== undefined && there !== name)
    throw new Failure('conflict', `namespace ${release.namespace} has the agent of cluster "${there}"`, {
      advice: 'name the right context with --kube-context, or another namespace with --agent-namespace',
    });
  const into =
    release.kubeContext === undefined ? 'the current context' : `the context ${release.kubeContext}`;
  const question = `Install the agent of cluster "${name}" in ${into} of your kubeconfig?`;
  const sure = isSure || (await confirm(cli.terminal, question, 'say --yes to install it, or --print'));
  if (!sure) throw new Failure('failed', 'nothing was installed');
}

function serverOf(client: Client, url: string | undefined): Pick<AgentChart, 'server' | 'authority'> {
  const { server, authority } = centralEndpoint(client);
  if (url === undefined) return { server, authority };
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    throw usage('--server-url must be an https URL');
  return { server: url.replace(/\/+$/, ''), authority };
}
