import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { Cli, Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { retryOnConflict } from '../../connection/retry.js';
import { Failure } from '../../failure.js';
import { helpNotes } from '../../output/helpnotes.js';
import { UNKNOWN_OPTION, warnAndAsk, YES_OPTION, type NamesOptions } from '../../output/warnings.js';
import { orSimilar, unknownClusterRole, unknownNames } from './unknownnames.js';

type Spec = NonNullable<Project['spec']>;
type Member = NonNullable<Spec['members']>[number];

interface MemberOptions extends NamesOptions {
  readonly project: string;
  readonly team?: boolean;
  readonly role?: string | undefined;
}

export const ROLES = ['viewer', 'user', 'admin'];
const PREFIX = 'management-project-';

const ADD_NOTES = `
Example:
  platform add member ada --project web --role admin

A viewer reads spaces and virtual clusters, and no secrets. A user also creates and uses them, and reads project secrets. An admin also changes and deletes all of these. Members are managed by the owner of the project and administrators; the role admin alone is not enough.
`;

/** `platform add|remove member`: who is in a project. */
export const projectVerbs: readonly Verb[] = [
  (program, cli) => {
    program
      .command('add')
      .description('Add a member to a project.')
      .command('member <name>')
      .description('Give a user, or a team, a role in a project.')
      .requiredOption('--project <project>', 'The project.')
      .option('--team', 'NAME is a team.')
      .option('--role <role>', `${ROLES.join(', ')}, or the name of a ClusterRole (default: user).`)
      .option(...UNKNOWN_OPTION)
      .option(...YES_OPTION)
      .addHelpText('after', helpNotes(ADD_NOTES))
      .action(async (name: string, options: MemberOptions) => {
        const client = await cli.connect();
        const named = options.team === true ? { teams: [name] } : { users: [name] };
        const unknown = [...(await unknownNames(client, named)), ...(await unknownMember(client, options))];
        await warnAndAsk(cli, { unknown }, options);
        await addMember(cli, client, name, options);
      });
  },
  (program, cli) => {
    program
      .command('remove')
      .description('Remove a member from a project.')
      .command('member <name>')
      .description('Remove a user or a team from a project.')
      .requiredOption('--project <project>', 'The project.')
      .option('--team', 'NAME is a team.')
      .addHelpText('after', '\nExample:\n  platform remove member ada --project web\n')
      .action((name: string, options: MemberOptions) => removeMember(cli, name, options));
  },
];

/** ClusterRoles of Kubernetes that people give for a role of projects, with the one that they mean. */
const OF_KUBERNETES = new Map([
  ['edit', 'user'],
  ['view', 'viewer'],
]);

/** Warnings of a role that does not exist, or that is none for projects. */
export async function unknownMember(client: Client, options: MemberOptions): Promise<string[]> {
  const { clusterRole } = memberOf('', options);
  const meant = OF_KUBERNETES.get(clusterRole);
  if (meant === undefined) return unknownClusterRole(client, clusterRole, ROLES);
  return [
    `${clusterRole} is a role of Kubernetes: it gives no secrets, spaces and virtual clusters of the project; did you mean ${meant}?; roles of projects are ${ROLES.join(', ')}`,
  ];
}

/** The role counts instead of those that the member had. */
export async function addMember(
  cli: Cli,
  client: Client,
  name: string,
  options: MemberOptions,
): Promise<void> {
  const member = memberOf(name, options);
  await change(client, options.project, ({ members = [] }) => ({
    members: [...members.filter((one) => !isSame(one, member)), member],
  }));
  cli.terminal.tell(`"${name}" is ${roleName(member.clusterRole)} in project "${options.project}".`);
}

async function removeMember(cli: Cli, name: string, options: MemberOptions): Promise<void> {
  const member = memberOf(name, options);
  const { project } = options;
  await change(await cli.connect(), project, ({ members = [] }) => {
    const left = members.filter((one) => !isSame(one, member));
    if (left.length === members.length)
      throw new Failure('notFound', `"${name}" is no member of project "${project}"`);
    return { members: left };
  });
  cli.terminal.tell(`"${name}" is no member of project "${project}" any more.`);
}

/** `platform allow|disallow cluster NAME --project NAME`. */
export const clusterVerbs: readonly Verb[] = [
  (program, cli) => {
    program
      .command('allow')
      .description('Allow a project to use a connected cluster.')
      .command('cluster <name>')
      .description('NAME is a connected cluster, or * for all.')
      .requiredOption('--project <project>', 'The project.')
      .option(...UNKNOWN_OPTION)
      .option(...YES_OPTION)
      .addHelpText('after', '\nExample:\n  platform allow cluster east --project web\n')
      .action(async (name: string, options: MemberOptions) => {
        const client = await cli.connect();
        await warnAndAsk(cli, { unknown: await unknownNames(client, { clusters: [name] }) }, options);
        await change(client, options.project, ({ allowedClusters = [] }) => ({
          allowedClusters: [...allowedClusters.filter((one) => one.name !== name), { name }],
        }));
        cli.terminal.tell(`Project "${options.project}" may use ${clusterText(name)}.`);
      });
  },
  (program, cli) => {
    program
      .command('disallow')
      .description('Stop a project from using a connected cluster.')
      .command('cluster <name>')
      .description('NAME is a connected cluster that the project names, or * where it names all.')
      .requiredOption('--project <project>', 'The project.')
      .addHelpText('after', '\nExample:\n  platform disallow cluster east --project web\n')
      .action((name: string, options: MemberOptions) => disallowCluster(cli, name, options));
  },
];

const clusterText = (name: string): string => (name === '*' ? 'all clusters' : `cluster "${name}"`);

async function disallowCluster(cli: Cli, name: string, { project }: MemberOptions): Promise<void> {
  let all = false;
  await change(await cli.connect(), project, ({ allowedClusters = [] }) => {
    const left = allowedClusters.filter((one) => one.name !== name);
    all = left.some((one) => one.name === '*');
    if (left.length < allowedClusters.length) return { allowedClusters: left };
    const instead = all ? `, but all clusters (*): "platform disallow cluster '*'" ends that` : '';
    throw new Failure('notFound', `project "${project}" does not name ${clusterText(name)}${instead}`);
  });
  if (all) cli.terminal.tell(`Warning: project "${project}" may still use all clusters (*)`);
  cli.terminal.tell(`Project "${project}" does not name ${clusterText(name)} any more.`);
}

function memberOf(name: string, { team, role = 'user' }: MemberOptions): Member {
  return {
    kind: team === true ? 'Team' : 'User',
    name,
    clusterRole: clusterRoleOf(role),
  };
}

/** The short name of a role of projects; any other ClusterRole as it is. */
export function roleName(clusterRole: string): string {
  const short = clusterRole.startsWith(PREFIX) ? clusterRole.slice(PREFIX.length) : '';
  return ROLES.includes(short) ? short : clusterRole;
}

/** Of a role by its short name, or any other. */
export const clusterRoleOf = (role: string): string => (ROLES.includes(role) ? PREFIX + role : role);

const isSame = (one: Member, other: Member): boolean => one.kind === other.kind && one.name === other.name;

/** Replaces members of the project's spec, as they are unless somebody else writes in between. */
async function change(client: Client, project: string, next: (spec: Spec) => Partial<Spec>): Promise<void> {
  const place = { resource: 'projects', name: project };
  await retryOnConflict(async () => {
    const object = await orSimilar(client, place, client.get(place));
    const spec: Spec = object.spec ?? {};
    await client.replace(place, { ...object, spec: { ...spec, ...next(spec) } });
  });
}
