import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import type { Cli, Verb } from '../cli.js';
import { type ExecStatus, cachedCertificate, cachedToken } from '../files/tokencache.js';
import { secondsOf } from '../duration.js';
import { Failure, usage } from '../failure.js';
import { addTokenRecords } from './tokenrecords.js';
import { scopeOf, projectAndName } from '../scopeflags.js';

const EXAMPLES = `
Examples:
  platform token                                  for kubectl, as an exec credential plugin
  platform token --direct-cluster-endpoint --cluster east --raw  a token for the connected cluster east
  platform token --direct-cluster-endpoint --cluster east --space web/staging  for that space alone
  platform token list                             tokens for connected clusters that have not expired
  platform token revoke --all                     revoke your tokens
`;

interface TokenOptions {
  readonly directClusterEndpoint?: boolean;
  readonly cluster?: string;
  readonly virtualCluster?: string;
  readonly space?: string;
  readonly ttl?: string;
  readonly raw?: boolean;
}

/** `platform token`: what kubectl's exec credential plugins answer (`client.authentication.k8s.io/v1`). */
export const token: Verb = (program, cli) => {
  const command = program.command('token');
  command
    .description('Print a credential in the format of client-go exec plugins.')
    .option(
      '--direct-cluster-endpoint',
      'A token that connected clusters accept, without this server between.',
    )
    .option('--cluster <name>', 'The connected cluster that such a token is for; no other one accepts it.')
    .option('--space <project/name>', 'Only this space, where the cluster has an agent.')
    .option(
      '--virtual-cluster <project/name>',
      'A client certificate of a virtual cluster; with --direct-cluster-endpoint: a token for it alone.',
    )
    .option('--ttl <duration>', 'How long such a token lives (default: 1h), or such a certificate (24h).')
    .option('--raw', 'Print the token alone.')
    .addHelpText('after', EXAMPLES)
    .action(async (options: TokenOptions) => {
      const status = await credential(cli, options);
      if (options.raw !== true)
        return cli.write(`${JSON.stringify({ ...execVersion(cli.env.KUBERNETES_EXEC_INFO), status })}\n`);
      if (status.token === undefined) throw usage('a certificate is no token: leave out --raw');
      cli.write(`${status.token}\n`);
    });
  addTokenRecords(command, cli);
};

async function credential(cli: Cli, options: TokenOptions): Promise<ExecStatus> {
  const { directClusterEndpoint, virtualCluster } = options;
  if (options.cluster !== undefined && directClusterEndpoint !== true)
    throw usage('--cluster goes with --direct-cluster-endpoint');
  if (options.space !== undefined && directClusterEndpoint !== true)
    throw usage('--space goes with --direct-cluster-endpoint');
  if (directClusterEndpoint === true && options.cluster === undefined)
    throw usage('--direct-cluster-endpoint needs --cluster: a token is for one connected cluster');
  const ttl = options.ttl === undefined ? undefined : secondsOf('--ttl', options.ttl);
  const client = await cli.connect();
  if (directClusterEndpoint === true)
    return cachedToken(cli.env, client, { cluster: options.cluster, ttl, scope: narrowed(options) });
  if (virtualCluster !== undefined) {
    const names = projectAndName('--virtual-cluster', virtualCluster);
    return cachedCertificate(cli.env, client, names, ttl);
  }
  if (ttl !== undefined) throw usage('--ttl goes with --direct-cluster-endpoint or --virtual-cluster');
  const { token: value } = client.connection;
  if (value === undefined)
    throw new Failure('unauthenticated', 'this login has a client certificate, and no token to show');
  return { token: value };
}

/** As `platform use space --direct` has it, so that both have one token. */
const narrowed = ({ space, virtualCluster }: TokenOptions): Scope | undefined =>
  scopeOf({
    ...(space !== undefined && { space: [space] }),
    ...(virtualCluster !== undefined && { virtualCluster: [virtualCluster] }),
  });

/** In the version that kubectl asks for. */
function execVersion(info: string | undefined): { kind: string; apiVersion: string } {
  const kind = 'ExecCredential';
  try {
    const apiVersion = textIn(JSON.parse(info ?? '{}'), 'apiVersion');
    if (apiVersion?.startsWith('client.authentication.k8s.io/') === true) return { kind, apiVersion };
  } catch {
    // Not kubectl: the newest version.
  }
  return { kind, apiVersion: 'client.authentication.k8s.io/v1' };
}
