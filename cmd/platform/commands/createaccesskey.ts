import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import { keyEnd } from '../../../pkg/management/accesskeys/keyend.js';
import type { Command } from 'commander';
import type { KubeObject } from '../../../api/resource.js';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Cli } from '../cli.js';
import { findOf, unknownNames } from './nouns/unknownnames.js';
import { type Client, ifFound } from '../connection/client.js';
import { durationText } from '../duration.js';
import { Failure } from '../failure.js';
import { managementObject } from '../objects.js';
import { assignment } from '../output/environment.js';
import { helpNotes } from '../output/helpnotes.js';
import { chosenFormat, nameOf, printObject } from '../output/output.js';
import { UNKNOWN_OPTION, warnAndAsk, YES_OPTION, type NamesOptions } from '../output/warnings.js';
import { addScopeFlags } from '../scopeflags.js';
import { keySpecOf, type KeySpec, type KeySpecOptions } from './accesskeyspec.js';
import { roleName, ROLES } from './nouns/members.js';

const EXAMPLES = `
Examples:
  platform create accesskey ci --project web --ttl 30d           a pipeline: a key of the project
  platform create accesskey ci --project web -o env > ci.env
  platform create accesskey deploy --project web --role admin --ends-with-me
  platform create accesskey laptop --ttl 8h                      yours
  platform create accesskey backup --secret default/database     yours, and reads one secret
  platform create accesskey ada-laptop --user ada --ttl 30d

A key of a project belongs to nobody: it has a role in the project, reaches nothing else, and outlives your login, until the spec.maxKeyDays of the project. Those who manage the members of the project make, list, rotate and delete its keys.

A key of your own ends with the login or the key that you use now, at the latest. A key for somebody else takes the right to impersonate them, as administrators have it. They list, disable, rotate and delete the keys of others as their own: "platform list accesskeys --user ada".
`;

interface KeyOptions extends KeySpecOptions, NamesOptions {
  readonly output?: string;
}

const KEYS = { resource: 'ownedaccesskeys' };

/** `platform create accesskey [NAME]`: the key is shown this once. */
export function createAccessKey(command: Command, cli: Cli): void {
  addScopeFlags(
    command.command('accesskey [name]'),
    'Project that the key is of. With --user or --team: only these projects; * for all.',
  )
    .description('Create an access key. Its value is shown only once.')
    .option('--role <role>', `Of a key of a project: ${ROLES.join(', ')} (default: user).`)
    .option('--ends-with-me', 'Of a key of a project: it ends when your User is disabled or deleted.')
    .option('--display-name <text>', 'Name shown in the UI.')
    .option('--user <user>', 'User that the key is for (default: you).')
    .option('--team <team>', 'Team that the key is for.')
    .option('--ttl <duration>', 'How long it lives: 15m, 24h, 7d (default: as long as it may).')
    .option('-o, --output <format>', 'env, json or yaml.')
    .option(...UNKNOWN_OPTION)
    .option(...YES_OPTION)
    .addHelpText('after', helpNotes(EXAMPLES))
    .action(async (name: string | undefined, options: KeyOptions) => {
      const format = chosenFormat(options.output, ['env', 'json', 'yaml']);
      const spec = keySpecOf(options);
      const metadata = name === undefined ? { generateName: 'platform-' } : { name };
      const wanted = managementObject('OwnedAccessKey', metadata, { spec });
      const client = await cli.connect();
      const unknown = await unknownIn(client, spec);
      const warnings = spec.project === undefined ? await warningsOf(client, spec, wanted) : [];
      await warnAndAsk(cli, { warnings, unknown }, options);
      const created = await client
        .create<OwnedAccessKey>(KEYS, wanted)
        .catch(adviseOnExpired(client, name))
        .catch(advise(spec))
        .catch(inFlags(options));
      if (spec.project !== undefined) cli.terminal.tell(placeText(created));
      await showKey(cli, client, created, format);
    });
}

/** What a key of a project is, and until when. */
function placeText(key: OwnedAccessKey): string {
  const { project = '', clusterRole = '' } = key.spec ?? {};
  const end = keyEnd(key, 0);
  const until = end === undefined ? '' : `, until ${new Date(end).toISOString().slice(0, 10)}`;
  return `It is ${roleName(clusterRole)} in project "${project}"${until}.`;
}

/** Rejects with the failure, which says so where the name is that of a key that has expired. */
const adviseOnExpired =
  (client: Client, name = '') =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Failure) || error.reason !== 'conflict') throw error;
    const taken = await ifFound(client.get<OwnedAccessKey>({ ...KEYS, name })).catch(() => undefined);
    const end = taken === undefined ? undefined : keyEnd(taken, 0);
    if (end === undefined || end > Date.now()) throw error;
    throw new Failure('conflict', `access key "${name}" has expired, and its name is still taken`, {
      advice: `"platform delete accesskey ${name}" frees it`,
    });
  };

/** Rejects with the failure, and with what those do who manage no members. */
const advise =
  ({ project }: KeySpec) =>
  (error: unknown): never => {
    if (project === undefined || !(error instanceof Failure) || error.reason !== 'forbidden') throw error;
    throw new Failure('forbidden', error.said, {
      advice: `the keys of project "${project}" are made by those who manage its members; with --user and your own name you make one of yours`,
    });
  };

/** Rejects with the failure; that of a life that is too long by the words of the flags. */
const inFlags =
  ({ ttl = '' }: KeyOptions) =>
  (error: unknown): never => {
    const [, most = '', why = ''] =
      /spec\.ttl: Invalid value: \d+: must be between [01] and (\d+)(?:, inclusive)?(?:: (.*))?$/s.exec(
        error instanceof Failure ? error.said : '',
      ) ?? [];
    if (most === '') throw error;
    const rule = why.replace('(spec.project)', '(--project)');
    throw new Failure('failed', `--ttl ${ttl} is too long: at most ${durationText(Number(most))}`, {
      ...(rule !== '' && { advice: rule }),
      cause: error,
    });
  };

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
  const url = assignment('PLATFORM_URL', client.connection.server.href.replace(/\/$/, ''));
  cli.write(url + assignment('PLATFORM_ACCESS_KEY', key));
}

/**
 * Warnings about a key of a person or a team that does much harm if it is lost. Without `--ttl` it ends with the
 * credential in use, unless the server sets no end: which one it is, the server is asked.
 */
async function warningsOf(client: Client, { ttl, scope }: KeySpec, wanted: object): Promise<string[]> {
  const ends = ttl ?? (await client.preview<OwnedAccessKey>(KEYS, wanted)).spec?.ttl;
  return [
    ...(ends === undefined ? ['this key has no end; give it one with --ttl 24h'] : []),
    ...(scope === undefined
      ? [
          'this key may do all that its owner may; narrow it with --space, --virtual-cluster or --secret, or make a key of a --project',
        ]
      : []),
  ];
}

/** Whom and what the key names, and there is not. */
async function unknownIn(client: Client, { user, team, project, scope = {} }: KeySpec): Promise<string[]> {
  const { projects = [], spaces = [], virtualClusters = [], rules = [] } = scope;
  const named = [...projects, ...spaces, ...virtualClusters].flatMap(({ project }) => project ?? []);
  const unknown = await unknownNames(client, {
    ...(user !== undefined && { users: [user] }),
    ...(team !== undefined && { teams: [team] }),
    projects: [...new Set(project === undefined ? named : [project, ...named])],
  });
  for (const { namespaces: [namespace = ''] = [], resourceNames: [name = ''] = [] } of rules)
    if ((await findOf(client.get({ resource: 'sharedsecrets', namespace, name }))) === 'absent')
      unknown.push(`there is no secret "${name}" in namespace "${namespace}"`);
  return unknown;
}
