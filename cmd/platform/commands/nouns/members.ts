import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { JsonValue } from '../../../../api/resource.js';
import type { Cli, Verb } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { retryOnConflict } from '../../connection/retry.js';
import { Failure, usage } from '../../failure.js';
import { warnOfUnknownNames } from './unknown.js';

type Spec = NonNullable<Project['spec']>;
type Member = NonNullable<Spec['members']>[number];

interface MemberOptions {
  readonly project: string;
  readonly team?: boolean;
  readonly role?: string;
}

const ROLES = ['viewer', 'user', 'admin'];
const PREFIX = 'management-project-';

/** `platform add|remove member`, `allow|disallow cluster`, `set quota`: what a project has besides its names. */
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
      .addHelpText('after', '\nExample:\n  platform add member ada --project web --role admin\n')
      .action(async (name: string, options: MemberOptions) => {
        const client = await cli.connect();
        const member = memberOf(name, options);
        await change(client, options.project, ({ members = [] }) => ({
          members: [...members.filter((one) => !isSame(one, member)), member],
        }));
        await warnOfUnknownNames(cli, client, member.kind === 'Team' ? { teams: [name] } : { users: [name] });
        cli.terminal.tell(`"${name}" is ${member.clusterRole} in project "${options.project}".`);
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
export const clusterVerbs: readonly Verb[] = [true, false].map((allowed): Verb => (program, cli) => {
  const verb = allowed ? 'allow' : 'disallow';
  program
    .command(verb)
    .description(`${allowed ? 'Allow a project to use' : 'Stop a project from using'} a connected cluster.`)
    .command('cluster <name>')
    .description('NAME is a connected cluster, or * for all.')
    .requiredOption('--project <project>', 'The project.')
    .addHelpText('after', `\nExample:\n  platform ${verb} cluster east --project web\n`)
    .action(async (name: string, { project }: MemberOptions) => {
      await change(await cli.connect(), project, ({ allowedClusters = [] }) => {
        const others = allowedClusters.filter((one) => one.name !== name);
        return { allowedClusters: allowed ? [...others, { name }] : others };
      });
      cli.terminal.tell(`Project "${project}" ${allowed ? 'may' : 'may not'} use cluster "${name}".`);
    });
});

/** null: what limit there was is removed. */
type Limits = Readonly<Record<string, number | null>>;
type Quotas = { readonly [name: string]: JsonValue } & { readonly objects?: Record<string, number | null> };

/** `instances=3`, `secretBytes=1000000`, or a resource: `configmaps=10`; `=` alone removes the limit. Throws Failure, usage. */
export function quotaOf(text: string): Quotas {
  const [, name = '', number = ''] = /^([a-zA-Z0-9.-]+)=(\d*)$/.exec(text) ?? [];
  if (name === '')
    throw usage(`"${text}": write a quota as instances=3, secretBytes=1000000 or configmaps=10`);
  const limit = number === '' ? null : Number(number);
  return name === 'instances' || name === 'secretBytes' ? { [name]: limit } : { objects: { [name]: limit } };
}

/** `platform set quota NAME=NUMBER… --project NAME`. */
export async function setQuotas(cli: Cli, quotas: readonly string[], project: string): Promise<void> {
  const parts = quotas.map(quotaOf);
  const objects: Limits = Object.assign({}, ...parts.map((part) => part.objects ?? {}));
  const all: Quotas = {
    ...Object.assign({}, ...parts),
    ...(Object.keys(objects).length > 0 && { objects }),
  };
  const client = await cli.connect();
  await client.merge({ resource: 'projects', name: project }, { spec: { quotas: all } });
  cli.terminal.tell(`The quotas of project "${project}" are set.`);
}

function memberOf(name: string, { team, role = 'user' }: MemberOptions): Member {
  return {
    kind: team === true ? 'Team' : 'User',
    name,
    clusterRole: ROLES.includes(role) ? PREFIX + role : role,
  };
}

const isSame = (one: Member, other: Member): boolean => one.kind === other.kind && one.name === other.name;

/** Replaces members of the project's spec, as they are when nobody else writes between. */
async function change(client: Client, project: string, next: (spec: Spec) => Partial<Spec>): Promise<void> {
  const place = { resource: 'projects', name: project };
  await retryOnConflict(async () => {
    const object = await client.get(place);
    const spec: Spec = object.spec ?? {};
    await client.replace(place, { ...object, spec: { ...spec, ...next(spec) } });
  });
}
