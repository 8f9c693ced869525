/**
 * The options of the agent, as flags or in the environment (`MANAGEMENT_AGENT_SECURE_PORT`); flags take
 * precedence.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '../../pkg/apimachinery/caught.js';
import {
  address,
  boolean,
  durationBetween,
  namePrefix,
  objectName,
  wholeNumber,
} from '../../pkg/apimachinery/flagvalues.js';
import { USER_PREFIX } from '../../api/management.svc.example/clusterusers.js';
import { SERVER_VERSION } from '../../pkg/server/version.js';
import { addressAndPort, userPrefix, type AddressAndPort } from './flagvalues.js';

export interface AgentOptions {
  readonly cluster: string;
  readonly managementKubeconfig: string;
  readonly kubeconfig?: string;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly userPrefix: string;
  readonly projectNamespacePrefix: string;
  /** Durations are in ms. */
  readonly revocationMaxAge: number;
  readonly maxRequestsInflight: number;
  readonly maxLongRunningRequests: number;
  readonly tunnel: boolean;
  readonly tunnelApiServer: boolean;
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

/** Throws the error that commander reports with the name of the option. */
function parsed(text: string, parse: Parse): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
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
    'Kubeconfig file for the management API, of a user who may list and watch users, teams, access keys and instances.',
  ).makeOptionMandatory(),
  option(
    '--kubeconfig <file>',
    'Kubeconfig file for the API server of the cluster. Absent: the service account of the Pod.',
  ),
  option('--bind-address <ip>', 'IP address to listen on.', '0.0.0.0', address),
  option('--secure-port <port>', 'Port to serve HTTPS on. 0: any free port.', '8443', wholeNumber(0, 65_535)),
  option(
    '--tls-cert-file <file>',
    'File with the serving certificate, PEM. Reloaded when it changes. Absent: a self-signed one.',
  ),
  option('--tls-private-key-file <file>', 'File with the private key of --tls-cert-file, PEM.'),
  option(
    '--user-prefix <prefix>',
    'Prefix of the names of users and groups in this cluster.',
    USER_PREFIX,
    userPrefix,
  ),
  option(
    '--project-namespace-prefix <prefix>',
    'Prefix of the namespaces of projects, as at the management API.',
    'loft-p-',
    namePrefix,
  ),
  option(
    '--revocation-max-age <duration>',
    'How long tokens are accepted after the last contact with the management API. After that, all requests are rejected.',
    '2h',
    durationBetween('5s', '168h'),
  ),
  option(
    '--max-requests-inflight <count>',
    'Maximum number of short requests in flight. A user gets up to half of them.',
    '400',
    count,
  ),
  option(
    '--max-long-running-requests <count>',
    'Maximum number of watches, exec sessions and other long-running requests. A user gets up to half of them.',
    '2000',
    count,
  ),
  option(
    '--tunnel [true|false]',
    'Dial the management API, and receive requests over that connection.',
    'false',
    boolean,
  ).preset('true'),
  option(
    '--tunnel-api-server [true|false]',
    'Forward connections of the management API to the API server of the cluster. The agent adds no credentials and cannot read what is sent. Requires --tunnel.',
    'false',
    boolean,
  ).preset('true'),
  option(
    '--metrics-bind-address <address>',
    'Address to serve metrics on, over HTTP at /metrics.',
    '127.0.0.1:9402',
    addressAndPort,
  ),
  option(
    '--shutdown-delay-duration <duration>',
    'Time to keep serving after SIGTERM, so that load balancers stop sending requests.',
    '0s',
    durationBetween('0s', '1h'),
  ),
  option(
    '--shutdown-timeout <duration>',
    'How long requests in flight may take after SIGTERM.',
    '30s',
    durationBetween('0s', '1h'),
  ),
];

/** The command with all options; `readOptions` parses with it. */
export function agentCommand(): Command {
  const command = new Command('management-agent')
    .description(
      'Gives users of the management API access to the cluster that it runs in, within the scope of their tokens.',
    )
    .helpOption('-h, --help', 'Show this help.')
    .version(SERVER_VERSION, '--version', 'Show the version.')
    .allowExcessArguments(false);
  for (const one of OPTIONS) command.addOption(one);
  return command;
}

/** Ends the process for help, the version and invalid options, unless `command` overrides that. */
export function readOptions(argv: readonly string[], command = agentCommand()): AgentOptions {
  command.parse(argv, { from: 'user' });
  const options = command.opts<AgentOptions>();
  if ((options.tlsCertFile === undefined) !== (options.tlsPrivateKeyFile === undefined))
    command.error('error: --tls-cert-file and --tls-private-key-file go together');
  if (options.tunnelApiServer && !options.tunnel)
    command.error('error: --tunnel-api-server requires --tunnel');
  return options;
}
