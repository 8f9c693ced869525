import type { Cli, Verb } from '../../cli.js';
import { openClient } from '../../connection/client.js';
import { Failure, usage } from '../../failure.js';
import { changeConfig } from '../../files/config.js';
import { bareConnection } from '../../connection/connection.js';
import { keepSecret } from '../../files/keychain.js';
import type { Connection } from '../../connection/serverconnection.js';
import { nameOfSelf, selfOf } from '../../self.js';
import { askSecret } from '../../output/terminal.js';
import type { WorkloadOptions } from '../../connection/workloadlogin.js';
import { readAuthority } from '../../connection/authority.js';
import { pinnedAuthority } from '../../connection/trust.js';

const EXAMPLES = `
Examples:
  platform login https://management.example.com
  platform login https://management.example.com --access-key mk_...
  platform login https://management.example.com --workload-token-file /var/run/secrets/tokens/management
  platform --kubeconfig admin.kubeconfig login
  echo "$KEY" | platform login https://127.0.0.1:8443 --ca-file ca.crt --name local
`;

const KEY_SOURCES = 'give it by --access-key, $PLATFORM_ACCESS_KEY or standard input';

interface LoginOptions extends WorkloadOptions {
  readonly accessKey?: string;
  readonly caFile?: string;
  readonly fingerprint?: string;
  readonly name?: string;
  readonly device?: boolean;
  /** False for `--no-browser`. */
  readonly browser: boolean;
}

/** `platform login URL`. */
export const login: Verb = (program, cli) => {
  program
    .command('login [url]')
    .description(
      'Log in to a server by its URL, or by the --kubeconfig that precedes "login", and save the login.',
    )
    .option(
      '--access-key <key>',
      'Access key (default: $PLATFORM_ACCESS_KEY, else the identity provider or standard input).',
    )
    .option('--device', 'Log in by a code that you enter in a browser on another device.')
    .option('--no-browser', 'Show the URL to log in at, and open no browser.')
    .option(
      '--workload-token-file <file>',
      'Token of this pipeline or Pod, exchanged for a short access key.',
    )
    .option('--github-audience <audience>', 'The same in GitHub Actions, which is asked for the token.')
    .option('--ca-file <file>', "Certificates of the server's authority, PEM.")
    .option('--fingerprint <sha256>', "Fingerprint that the server's authority must have.")
    .option('--name <name>', 'Name of this login (default: the host of the URL).')
    .addHelpText('after', EXAMPLES)
    .action((url: string | undefined, options: LoginOptions) =>
      url === undefined ? logInAsThere(cli, options) : logIn(cli, url, options),
    );
};

async function logIn(cli: Cli, url: string, options: LoginOptions): Promise<void> {
  const { env, terminal } = cli;
  const stranger = await bareConnection(url, undefined, undefined, env);
  const { caFile } = options;
  const { pem: ca, from: caFrom } =
    caFile === undefined
      ? { pem: await pinnedAuthority(terminal, stranger, options.fingerprint), from: undefined }
      : await readAuthority(caFile, `--ca-file ${caFile}`);
  const known = { ...stranger, ca, caFrom };
  const accessKey = (
    (await workloadKey(cli, known, options)) ??
    options.accessKey ??
    env.PLATFORM_ACCESS_KEY ??
    (await keyOf(cli, known, options))
  ).trim();
  if (accessKey === '') throw usage(`the access key is empty: ${KEY_SOURCES}`);
  await remember(cli, { ...known, token: accessKey }, accessKey, options);
}

/** Undefined where no workload logs in. */
async function workloadKey(
  { env, trace }: Cli,
  connection: Connection,
  options: WorkloadOptions,
): Promise<string | undefined> {
  if (options.workloadTokenFile === undefined && options.githubAudience === undefined) return undefined;
  const { keyByWorkload, workloadToken } = await import('../../connection/workloadlogin.js');
  const token = await workloadToken(options, env);
  return token === undefined ? undefined : keyByWorkload(connection, token, trace);
}

/** With the server and the token of the kubeconfig that flags choose. */
async function logInAsThere(cli: Cli, options: LoginOptions): Promise<void> {
  if (!cli.choosesKubeconfig())
    throw usage('give the URL of the server, or its kubeconfig: platform --kubeconfig FILE login');
  const { connection } = await cli.connect();
  if (connection.token === undefined || connection.servername !== undefined || !connection.rejectUnauthorized)
    throw new Failure(
      'failed',
      'a login keeps a token and an authority: use this kubeconfig as it is, by --kubeconfig',
    );
  await remember(cli, connection, connection.token, options);
}

async function remember(
  { env, terminal, trace }: Cli,
  connection: Connection,
  accessKey: string,
  options: LoginOptions,
): Promise<void> {
  const { server, ca } = connection;
  const self = await selfOf(openClient(connection, terminal, trace));
  const name = options.name ?? server.host;
  const kept = await keepSecret(env, name, accessKey);
  const context = {
    server: server.href,
    user: nameOfSelf(self),
    ...(ca !== undefined && { ca }),
    ...(!kept && { accessKey }),
  };
  await changeConfig(env, ({ contexts }) => ({ current: name, contexts: { ...contexts, [name]: context } }));
  terminal.tell(`Logged in to ${server.origin} as ${nameOfSelf(self)}.`);
}

/** At a terminal people log in with the identity provider where the server has one; in a pipe the key is read. */
async function keyOf(cli: Cli, connection: Connection, { device, browser }: LoginOptions): Promise<string> {
  const { terminal, trace } = cli;
  const { hasProvider, keyByBrowser, keyByDevice } = await import('../../connection/oidclogin.js');
  if (device === true) return keyByDevice(connection, terminal, trace);
  if (!terminal.interactive && browser) return (await terminal.readAll()).toString();
  if (!(await hasProvider(connection, trace))) return askSecret(terminal, 'Access key', KEY_SOURCES);
  return keyByBrowser(connection, terminal, trace, async (url) => {
    if (browser) await (await import('open')).default(url);
  });
}
