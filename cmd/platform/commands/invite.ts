/** `platform invite`: a user, what they are to be in, and a link by which the person becomes that user. */
import type { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import type { Team } from '../../../api/management.svc.example/v1/team.js';
import type { JsonValue } from '../../../api/resource.js';
import type { Cli, Verb } from '../cli.js';
import { ifFound, type Client } from '../connection/client.js';
import { retryOnConflict } from '../connection/retry.js';
import { secondsOf } from '../duration.js';
import { Failure, usage } from '../failure.js';
import { managementObject } from '../objects.js';
import { helpNotes } from '../output/helpnotes.js';
import { UNKNOWN_OPTION, warnAndAsk, YES_OPTION, type NamesOptions } from '../output/warnings.js';
import { addMember, unknownMember } from './nouns/members.js';
import { unknownNames } from './nouns/unknownnames.js';

const EXAMPLES = `
Examples:
  platform invite ada --email ada@example.com --project web
  platform invite ada --team ops --project web --role admin
  platform invite ada --access-key 90d     where ada may choose a key instead of a login
  platform delete invitation ada           the link ends

The link is the only line of the output. Whoever opens it first becomes the user, so send it in private. Inviting again ends the link before.
`;

interface InviteOptions extends NamesOptions {
  readonly email?: string;
  readonly displayName?: string;
  readonly team?: string[];
  readonly project?: string;
  readonly role?: string;
  readonly ttl?: string;
  readonly accessKey?: string | true;
}

const INVITATIONS = { resource: 'invitations' } as const;
const DEFAULT_KEY_TTL = '30d';

export const invite: Verb = (program, cli) => {
  program
    .command('invite <name>')
    .description(
      'Invite a person as a user, who is created where there is none: prints a link that works once.',
    )
    .option('--email <address>', 'E-mail address of the user.')
    .option('--display-name <text>', 'Name shown in the UI.')
    .option('--team <team...>', 'Teams to add the user to.')
    .option('--project <project>', 'Project to make the user a member of.')
    .option('--role <role>', 'Role in the project: viewer, user, admin, or a ClusterRole (default: user).')
    .option('--ttl <duration>', 'How long the link works: 5m to 7d (default: 48h).')
    .option(
      '--access-key [ttl]',
      'Let the person choose a first access key that lives this long (default: 30d), instead of a login. Without an identity provider it is always so.',
    )
    .option(...UNKNOWN_OPTION)
    .option(...YES_OPTION)
    .addHelpText('after', helpNotes(EXAMPLES))
    .action((name: string, options: InviteOptions) => inviteUser(cli, name, options));
};

async function inviteUser(cli: Cli, name: string, options: InviteOptions): Promise<void> {
  const { team = [], project, role } = options;
  if (role !== undefined && project === undefined) throw usage('--role goes with --project');
  const spec = specOf(options);
  const client = await cli.connect();
  const projects = project === undefined ? [] : [project];
  const unknown = [
    ...(await unknownNames(client, { teams: team, projects })),
    ...(project === undefined ? [] : await unknownMember(client, { project, role })),
  ];
  await warnAndAsk(cli, { unknown }, options);
  if (await ensureUser(client, name, options).catch(mayNotInvite))
    cli.terminal.tell(`Created user "${name}".`);
  for (const one of team) await addToTeam(client, one, name);
  if (project !== undefined) await addMember(cli, client, name, { project, role });
  // Last: a link that is made is also shown.
  const { status } = await create(cli, client, name, spec).catch(mayNotInvite);
  const { link = '', expirationTimestamp: end = '' } = status ?? {};
  if (link === '') throw new Failure('failed', 'the server answers an invitation without a link');
  cli.write(`${new URL(link, client.connection.server.origin).href}\n`);
  cli.terminal.tell(`Send this link to "${name}" in private. It works once, until ${end}.`);
}

function specOf({ ttl, accessKey }: InviteOptions): NonNullable<Invitation['spec']> {
  const keyTtl = accessKey === true ? DEFAULT_KEY_TTL : accessKey;
  return {
    ...(ttl !== undefined && { ttl: secondsOf('--ttl', ttl) }),
    ...(keyTtl !== undefined && { accessKeyTTL: secondsOf('--access-key', keyTtl) }),
  };
}

/** Rejects with the failure, and with who may do it. */
function mayNotInvite(error: unknown): never {
  if (!(error instanceof Failure) || error.reason !== 'forbidden') throw error;
  throw new Failure('forbidden', error.said, {
    advice: 'to invite takes the right to create users and invitations: ask an administrator, who has it',
  });
}

/** Returns whether the user was created. */
async function ensureUser(
  client: Client,
  name: string,
  { email, displayName }: InviteOptions,
): Promise<boolean> {
  const spec: Record<string, JsonValue> = {
    ...(email !== undefined && { email }),
    ...(displayName !== undefined && { displayName }),
  };
  const place = { resource: 'users', name };
  if ((await ifFound(client.get(place))) === undefined) {
    await client.create({ resource: 'users' }, managementObject('User', { name }, { spec }));
    return true;
  }
  if (Object.keys(spec).length > 0) await client.merge(place, { spec });
  return false;
}

/** A user has one invitation: another one replaces it. */
async function create(
  cli: Cli,
  client: Client,
  name: string,
  spec: NonNullable<Invitation['spec']>,
): Promise<Invitation> {
  const invitation = managementObject('Invitation', { name }, { spec });
  return retryOnConflict(async () => {
    try {
      return await client.create<Invitation>(INVITATIONS, invitation);
    } catch (error) {
      const isOpen = error instanceof Failure && error.reason === 'conflict';
      if (isOpen && (await ifFound(client.remove({ ...INVITATIONS, name }))) !== undefined)
        cli.terminal.tell('The link of the invitation before has ended.');
      throw error;
    }
  });
}

async function addToTeam(client: Client, team: string, user: string): Promise<void> {
  const place = { resource: 'teams', name: team };
  await retryOnConflict(async () => {
    const object = await client.get<Team>(place);
    const { users = [] } = object.spec ?? {};
    if (users.includes(user)) return;
    await client.replace(place, { ...object, spec: { ...object.spec, users: [...users, user] } });
  });
}
