/** The options of the agent, as flags or in the environment (`MANAGEMENT_AGENT_SECURE_PORT`); flags win. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { durationBetween, namePrefix, objectName, wholeNumber } from '../../pkg/apimachinery/flagvalues.js';
import { SERVER_VERSION } from '../../pkg/server/version.js';
import type { AddressAndPort } from './flagvalues.js';
import { address, addressAndPort, audience, trueOrFalse, userPrefix } from './flagvalues.js';

export interface AgentOptions {
  readonly cluster: string;
  readonly managementKubeconfig: string;
  readonly kubeconfig?: string;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly audience: string;
  readonly userPrefix: string;
  readonly projectNamespacePrefix: string;
  /** In ms, as the others that are durations. */
  readonly revocationMaxAge: number;
  readonly maxRequestsInflight: number;
  readonly maxLongRunningRequests: number;
  readonly tunnel: boolean;
  readonly metricsBindAddress: AddressAndPort;
  readonly shutdownDelayDuration: number;
  readonly shutdownTimeout: number;
}

type Parse = (text: string) => unknown;

function option(
  flags: string,
  description: string,
  fallback?: string,
  parse: Parse = (text) => text,
): Option {
  const made = new Option(flags, description);
  const name = made.name().toUpperCase().replaceAll('-', '_');
  made.env(`MANAGEMENT_AGENT_${name}`).argParser((text) => parsed(text, parse));
  return fallback === undefined ? made : made.default(parse(fallback), fallback);
}

/** Throws the error of which commander tells with the name of the option. */
function parsed(text: string, parse: Parse): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

const count = wholeNumber(1, 100_000);

const OPTIONS: readonly Option[] = [
  option(
    '--cluster <name>',
    'Name of the Cluster that this agent is in.',
    undefined,
    objectName,
  ).makeOptionMandatory(),
  option(
    '--management-kubeconfig <file>',
    'How to reach the management API, as who may list and watch users, teams, access keys and instances.',
  ).makeOptionMandatory(),
  option('--kubeconfig <file>', 'How to reach the API server of the cluster; absent: what a Pod is given.'),
  option('--bind-address <ip>', 'Address to listen on.', '0.0.0.0', address),
  option(
    '--secure-port <port>',
    'Port to listen on with TLS; 0 takes any free one.',
    '8443',
    wholeNumber(0, 65_535),
  ),
  option(
    '--tls-cert-file <file>',
    'Serving certificate, PEM; read again when it changes. Absent: one that nobody knows.',
  ),
  option('--tls-private-key-file <file>', 'Its private key, PEM.'),
  option(
    '--audience <audience>',
    'Audience of tokens for connected clusters, as --direct-endpoint-audience of the management API. Those for <audience>/<cluster> alone are taken.',
    'management-direct-endpoint',
    audience,
  ),
  option(
    '--user-prefix <prefix>',
    'What names of users and groups get in front in this cluster.',
    'management:',
    userPrefix,
  ),
  option(
    '--project-namespace-prefix <prefix>',
    'What namespaces of projects begin with, as at the management API.',
    'loft-p-',
    namePrefix,
  ),
  option(
    '--revocation-max-age <duration>',
    'For how long tokens are taken after the management API was last heard of. Nobody is let in beyond that.',
    '2h',
    durationBetween('5s', '168h'),
  ),
  option(
    '--max-requests-inflight <count>',
    'Requests at a time that do not last; a user has up to half of them.',
    '400',
    count,
  ),
  option(
    '--max-long-running-requests <count>',
    'Watches, exec and the like at a time; a user has up to half of them.',
    '2000',
    count,
  ),
  option(
    '--tunnel [true|false]',
    'Whether it dials the management API, and takes requests that come back that way.',
    'false',
    trueOrFalse,
  ).preset('true'),
  option(
    '--metrics-bind-address <address>',
    'Where metrics are served, over HTTP at /metrics.',
    '127.0.0.1:9402',
    addressAndPort,
  ),
  option(
    '--shutdown-delay-duration <duration>',
    'How long requests are still taken after SIGTERM, so that load balancers hear of it.',
    '0s',
    durationBetween('0s', '1h'),
  ),
  option(
    '--shutdown-timeout <duration>',
    'How long requests under way may take after SIGTERM.',
    '30s',
    durationBetween('0s', '1h'),
  ),
];

/** With all options; `readOptions` parses with it. */
export function agentCommand(): Command {
  const command = new Command('management-agent')
    .description(
      'Lets users of the management API into the cluster that it runs in, no further than their tokens say.',
    )
    .helpOption('-h, --help', 'Show this text.')
    .version(SERVER_VERSION, '--version', 'Show the version.')
    .allowExcessArguments(false);
  for (const one of OPTIONS) command.addOption(one);
  return command;
}

/** Ends the process for help, the version and what is not valid, unless `command` does otherwise. */
export function readOptions(argv: readonly string[], command = agentCommand()): AgentOptions {
  command.parse(argv, { from: 'user' });
  const options = command.opts<AgentOptions>();
  if ((options.tlsCertFile === undefined) !== (options.tlsPrivateKeyFile === undefined))
    command.error('error: --tls-cert-file and --tls-private-key-file go together');
  return options;
}
