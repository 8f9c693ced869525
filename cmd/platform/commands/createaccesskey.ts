import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import type { Command } from 'commander';
import type { KubeObject } from '../../../api/resource.js';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Cli } from '../cli.js';
import { findOf, unknownNames } from './nouns/unknownnames.js';
import type { Client } from '../connection/client.js';
import { secondsOf } from '../duration.js';
import { usage } from '../failure.js';
import { managementObject } from '../objects.js';
import { assignment } from '../output/environment.js';
import { helpNotes } from '../output/helpnotes.js';
import { chosenFormat, nameOf, printObject } from '../output/output.js';
import { UNKNOWN_OPTION, warnAndAsk, YES_OPTION, type NamesOptions } from '../output/warnings.js';
import { type ScopeOptions, addScopeFlags, scopeOf } from '../scopeflags.js';

const EXAMPLES = `
Examples:
  platform create accesskey ci --project web --ttl 24h
  platform create accesskey ci --project web -o env > ci.env
  platform create accesskey backup --secret default/database --ttl 24h    reads one secret
  platform create accesskey ada-laptop --user ada --ttl 30d

A key for somebody else takes the right to impersonate them, as administrators have it. They list, disable, rotate and delete the keys of others as their own: "platform list accesskeys --user ada".
`;

type Spec = NonNullable<OwnedAccessKey['spec']>;

interface KeyOptions extends ScopeOptions, NamesOptions {
  readonly displayName?: string;
  readonly user?: string;
  readonly team?: string;
  readonly ttl?: string;
  readonly output?: string;
}

/** `platform create accesskey [NAME]`: the key is shown this once. */
export function createAccessKey(command: Command, cli: Cli): void {
  addScopeFlags(command.command('accesskey [name]'))
    .description('Create an access key. Its value is shown only once.')
    .option('--display-name <text>', 'Name shown in the UI.')
    .option('--user <user>', 'User that the key is for (default: you).')
    .option('--team <team>', 'Team that the key is for.')
    .option('--ttl <duration>', 'How long it lives: 15m, 24h, 7d (default: without end).')
    .option('-o, --output <format>', 'env, json or yaml.')
    .option(...UNKNOWN_OPTION)
    .option(...YES_OPTION)
    .addHelpText('after', helpNotes(EXAMPLES))
    .action(async (name: string | undefined, options: KeyOptions) => {
      const format = chosenFormat(options.output, ['env', 'json', 'yaml']);
      const spec = specOf(options);
      const client = await cli.connect();
      const doubts = { warnings: warningsOf(spec), unknown: await unknownIn(client, spec) };
      await warnAndAsk(cli, doubts, options);
      const created = await client.create<OwnedAccessKey>(
        { resource: 'ownedaccesskeys' },
        managementObject('OwnedAccessKey', name === undefined ? { generateName: 'platform-' } : { name }, {
          spec,
        }),
      );
      await showKey(cli, client, created, format);
    });
}

/** Prints an object that has its key: the one answer that does. */
export async function showKey(
  cli: Cli,
  client: Client,
  object: KubeObject,
  format: 'env' | 'json' | 'yaml' | undefined,
): Promise<void> {
  if (format === 'json' || format === 'yaml') return printObject(format, object, cli.write);
  const key = textIn(object.spec, 'key') ?? '';
  if (format === undefined) {
    cli.terminal.tell(`Access key "${nameOf(object)}". It is shown this once:`);
    return cli.write(`${key}\n`);
  }
  const url = assignment('PLATFORM_URL', client.connection.server.href);
  cli.write(url + assignment('PLATFORM_ACCESS_KEY', key));
}

/** Warnings about a key that does much harm if it is lost. */
function warningsOf({ ttl, scope }: Spec): string[] {
  return [
    ...(ttl === undefined ? ['this key has no end; give it one with --ttl 24h'] : []),
    ...(scope === undefined
      ? [
          'this key may do all that its owner may; narrow it with --project, --space, --virtual-cluster or --secret',
        ]
      : []),
  ];
}

/** Whom and what the key names, and there is not. */
async function unknownIn(client: Client, { user, team, scope = {} }: Spec): Promise<string[]> {
  const { projects = [], spaces = [], virtualClusters = [], rules = [] } = scope;
  const named = [...projects, ...spaces, ...virtualClusters].flatMap(({ project }) => project ?? []);
  const unknown = await unknownNames(client, {
    ...(user !== undefined && { users: [user] }),
    ...(team !== undefined && { teams: [team] }),
    projects: [...new Set(named)],
  });
  for (const { namespaces: [namespace = ''] = [], resourceNames: [name = ''] = [] } of rules)
    if ((await findOf(client.get({ resource: 'sharedsecrets', namespace, name }))) === 'absent')
      unknown.push(`there is no secret "${name}" in namespace "${namespace}"`);
  return unknown;
}

function specOf(options: KeyOptions): Spec {
  const { displayName, user, team, ttl } = options;
  if (user !== undefined && team !== undefined) throw usage('--user and --team exclude each other');
  const scope = scopeOf(options);
  return {
    ...(displayName !== undefined && { displayName }),
    ...(user !== undefined && { user }),
    ...(team !== undefined && { team }),
    ...(ttl !== undefined && { ttl: secondsOf('--ttl', ttl) }),
    ...(scope !== undefined && { scope }),
  };
}
