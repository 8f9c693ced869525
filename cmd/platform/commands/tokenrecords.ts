/** `platform token list|revoke`: tokens for connected clusters that were issued. */
import type { Command } from 'commander';
import type { KubeObject } from '../../../api/resource.js';
import { escapeFieldValue } from '../../../pkg/apimachinery/selectors/fields.js';
import type { Cli } from '../cli.js';
import type { Client } from '../connection/client.js';
import { Failure, usage } from '../failure.js';
import { forgetCredentials } from '../files/tokencache.js';
import { confirm } from '../output/terminal.js';
import { selfOf } from '../self.js';
import { type ListOptions, listObjects } from './list.js';

export const TOKENS = { resource: 'directclusterendpointtokens' } as const;

interface Chosen {
  readonly user?: string;
  readonly team?: string;
  readonly cluster?: string;
}

interface RevokeOptions extends Chosen {
  readonly all?: boolean;
  readonly yes?: boolean;
}

export function addTokenRecords(command: Command, cli: Cli): void {
  command
    .command('list')
    .description('List tokens for connected clusters that have not expired.')
    .option('--user <user>', 'Only those of this user.')
    .option('--team <team>', 'Only those of this team.')
    .option('--cluster <name>', 'Only those for this connected cluster.')
    .option('-o, --output <format>', 'wide, json, yaml, name or jsonpath=TEMPLATE.')
    .option('-w, --watch', 'After listing, watch for changes until Ctrl-C or until the credentials expire.')
    .option('--output-watch-events', 'With --watch: say what each change is.')
    .addHelpText('after', '\nExample:\n  platform token list --cluster east\n')
    .action((_own: unknown, list: Command) => {
      const options = optionsOf<ListOptions & Chosen>(list);
      return listObjects(cli, options, () => Promise.resolve([{ ...TOKENS, ...queryOf(options) }]));
    });
  command
    .command('revoke [ids...]')
    .description('Revoke tokens for connected clusters, by their IDs or all of a user.')
    .option('--all', 'All of your tokens, or with --user or --team all of theirs.')
    .option('--user <user>', 'With --all: the user.')
    .option('--team <team>', 'With --all: the team.')
    .option('--cluster <name>', 'With --all: only those for this connected cluster.')
    .option('-y, --yes', 'Do not ask.')
    .addHelpText('after', REVOKE_EXAMPLES)
    .action((ids: string[], _own: unknown, one: Command) => revoke(cli, ids, optionsOf<RevokeOptions>(one)));
}

/** Flags that `platform token` has, too (`--cluster`), are accepted. Throws Failure, usage, for flags that only it has. */
function optionsOf<Options extends object>(command: Command): Options {
  const options = command.optsWithGlobals<Options>();
  const own = command.options.map((option) => option.attributeName());
  const stray = command.parent?.options.find(
    (option) => option.attributeName() in options && !own.includes(option.attributeName()),
  );
  if (stray !== undefined) throw usage(`unknown option '${stray.long ?? stray.flags}'`);
  return options;
}

const REVOKE_EXAMPLES = `
Examples:
  platform token revoke 7f3c7a52-1f0e-4c53-9a4e-0f6d1f3f5b11
  platform token revoke --all --user anna --yes
`;

async function revoke(cli: Cli, ids: readonly string[], options: RevokeOptions): Promise<void> {
  const { all = false, user, team, cluster } = options;
  if (all && ids.length > 0) throw usage('name tokens or say --all, not both');
  if (!all && (user ?? team ?? cluster) !== undefined) throw usage('--user, --team and --cluster need --all');
  if (!all && ids.length === 0) throw usage('name the tokens, or say --all');
  if (user !== undefined && team !== undefined) throw usage('--user and --team exclude each other');
  const client = await cli.connect();
  if (all) await revokeAll(cli, client, options);
  else await revokeEach(cli, client, ids, options);
  // Tokens that this machine keeps may be among them.
  await forgetCredentials(cli.env, client.connection);
}

async function revokeEach(
  cli: Cli,
  client: Client,
  ids: readonly string[],
  options: RevokeOptions,
): Promise<void> {
  const what = ids.map((id) => `token "${id}"`).join(', ');
  await sure(cli, options, what);
  for (const name of ids) {
    await client.remove({ ...TOKENS, name });
    cli.terminal.tell(`Revoked token "${name}".`);
  }
}

/** Records of the caller, unless a user or a team is named. */
async function revokeAll(cli: Cli, client: Client, options: RevokeOptions): Promise<void> {
  const chosen = { ...(await holderOf(client, options)), cluster: options.cluster };
  const place = { ...TOKENS, ...queryOf(chosen) };
  const { items } = await client.get<{ items: KubeObject[] }>(place);
  if (items.length === 0) return cli.terminal.tell('Nothing found.');
  const whose = chosen.user === undefined ? `team ${chosen.team ?? ''}` : `user ${chosen.user}`;
  const to = options.cluster === undefined ? '' : ` for cluster ${options.cluster}`;
  const what = `${items.length} token${items.length === 1 ? '' : 's'} of ${whose}${to}`;
  await sure(cli, options, what);
  await client.remove(place);
  cli.terminal.tell(`Revoked ${what}.`);
}

async function holderOf(client: Client, { user, team }: RevokeOptions): Promise<Chosen> {
  if (user !== undefined) return { user };
  if (team !== undefined) return { team };
  const self = await selfOf(client);
  if (self.user?.name !== undefined) return { user: self.user.name };
  if (self.team?.name !== undefined) return { team: self.team.name };
  throw usage('this login is of no user and no team: say --user or --team');
}

async function sure(cli: Cli, { yes = false }: RevokeOptions, what: string): Promise<void> {
  if (yes || (await confirm(cli.terminal, `Revoke ${what}?`, `say --yes to revoke ${what}`))) return;
  throw new Failure('failed', 'nothing was revoked');
}

function queryOf({ user, team, cluster }: { [Member in keyof Chosen]: Chosen[Member] | undefined }): {
  query?: string;
} {
  const fields = { 'status.user': user, 'status.team': team, 'spec.cluster': cluster };
  const selector = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [`${field}=${escapeFieldValue(value)}`],
  );
  return selector.length === 0 ? {} : { query: `fieldSelector=${encodeURIComponent(selector.join(','))}` };
}
