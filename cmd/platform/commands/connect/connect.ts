import { suggestion } from '../../../../pkg/apimachinery/similar.js';
import { dns1123Subdomain } from '../../../../pkg/apimachinery/validation/names.js';
import type { Cli, Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { Failure, usage } from '../../failure.js';
import { confirm } from '../../output/terminal.js';
import { agentKeys, joinToken, makeIdentity } from './agentidentity.js';
import { imageValues } from './agentimage.js';
import { agentServer } from './agentserver.js';
import { connectByKubeconfig } from './bykubeconfig.js';
import {
  asCommand,
  CHART_FILE,
  DEFAULT_NAMESPACE,
  install,
  installedCluster,
  mustBeChart,
  printedArguments,
  type AgentChart,
} from './helm.js';
import { withMissingRight } from './missingright.js';
import { untilConnected } from './untilconnected.js';
import { untilJoined } from './untiljoined.js';

const EXAMPLES = `
Examples:
  # Installs an agent by your kubeconfig, which dials the server. The cluster pulls its image from your registry.
  platform connect cluster prod --image-repository registry.example.com/management-apiserver

  # The helm command, for somebody else within 15 minutes, and the URL by which that cluster reaches the server.
  platform connect cluster prod --image-repository registry.example.com/management-apiserver \\
    --server-url https://platform.example.com --print

  # Without an agent, where the server reaches the cluster. The same command takes a renewed kubeconfig over.
  platform connect cluster prod --kubeconfig-file prod.yaml
`;
const AGENT_TIMEOUT_MS = 5 * 60_000;

interface ConnectOptions {
  readonly kubeconfigFile?: string;
  readonly displayName?: string;
  readonly print?: boolean;
  readonly yes?: boolean;
  readonly wait: boolean;
  readonly serverUrl?: string;
  readonly chart?: string;
  readonly imageRepository?: string;
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
    .option(
      '--image-repository <repository>',
      'Where the cluster pulls the image of the agent from, without a tag.',
    )
    .option(
      '--chart <chart>',
      'Chart of the agent: a file, a folder or an OCI reference (default: the one of this program).',
    )
    .option('--set <key=value>', 'Value of the chart; may be repeated.', collected, [])
    .option(
      '--server-url <url>',
      'URL of the server, as the cluster reaches it (default: that of the login, unless it is a loopback address).',
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
  if (kubeconfigFile !== undefined && options.print === true)
    throw usage('--print goes with an agent, and not with --kubeconfig-file');
  const client = await cli.connect();
  try {
    await (kubeconfigFile === undefined
      ? connectByAgent(cli, client, name, options)
      : connectByKubeconfig(cli, client, name, { ...options, kubeconfigFile }));
  } catch (error) {
    throw withMissingRight(error, client.connection.server.origin);
  }
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

async function connectByAgent(
  cli: Cli,
  client: Client,
  name: string,
  options: ConnectOptions,
): Promise<void> {
  const { agentNamespace: namespace, kubeContext, print = false, wait, set } = options;
  const image = imageValues(options);
  const server = agentServer(client, options.serverUrl);
  const release = { namespace, kubeContext };
  const chart = options.chart ?? (await defaultChart(print));
  if (!print) {
    await mustBeChart(chart, cli.env);
    await mustBeFree(cli, name, release, options.yes === true);
  }
  await makeIdentity(client, name, options.displayName);
  const token = await joinToken(client, name);
  const agent: AgentChart = {
    ...release,
    ...server,
    cluster: name,
    chart,
    token,
    values: [...image, ...set],
  };
  if (!print) return installAgent(cli, client, agent, wait);
  cli.write(`${asCommand(printedArguments(agent))}\n`);
  if (options.chart === undefined)
    cli.terminal.tell(
      `The command takes the chart ${CHART_FILE}, which is in this folder now: send it along, for the folder where the command runs.`,
    );
  cli.terminal.tell(
    `Run it in the cluster within 15 minutes: its token works once. "platform get cluster ${name}" shows when it is connected.`,
  );
}

async function defaultChart(isForElsewhere: boolean): Promise<string> {
  // Other commands start faster without it.
  const { copiedChart, shippedChart } = await import('./agentchart.js');
  return isForElsewhere ? copiedChart() : shippedChart();
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
