import type { Command } from 'commander';
import type { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import type { Cli } from '../../cli.js';
import { usage } from '../../failure.js';
import { managementObject } from '../../objects.js';
import { clusterRoleOf, ROLES } from '../nouns/members.js';

const EXAMPLES = `
Examples:
  platform create grouprule ops --value acme-ops --team ops
  platform create grouprule web --value 'acme-web-*' --project web --role user
  platform create grouprule leads --claim realm_access.roles --value lead --project web --role admin

"platform test claims" shows what a login would get.
`;

interface RuleOptions {
  readonly claim?: string;
  readonly value: string[];
  readonly issuer?: string;
  readonly team?: string;
  readonly project?: string;
  readonly role?: string;
  readonly description?: string;
}

/** `platform create grouprule NAME`. The server refuses a team or a project that does not exist. */
export function createGroupRule(command: Command, cli: Cli): void {
  command
    .command('grouprule <name>')
    .description(
      'Create a group rule, by which claims of the identity provider give a team, or a role in a project.',
    )
    .requiredOption(
      '--value <value...>',
      'Values of the claim: exact ones, or beginnings with a * at the end.',
    )
    .option('--claim <claim>', 'The claim (default: groups).')
    .option('--issuer <url>', 'Issuer of the identity provider (default: that of any login).')
    .option('--team <team>', 'Team that people become members of.')
    .option('--project <project>', 'Project that people get a role in.')
    .option('--role <role>', `${ROLES.join(', ')}, or the name of a ClusterRole (default: user).`)
    .option('--description <text>', 'What it is for.')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, options: RuleOptions) => {
      const { team, project } = options;
      if ((team === undefined) === (project === undefined)) throw usage('say either --team or --project');
      if (project === undefined && options.role !== undefined) throw usage('--role is for --project');
      const client = await cli.connect();
      const object = managementObject('GroupRule', { name }, { spec: specOf(options) });
      await client.create<GroupRule>({ resource: 'grouprules' }, object);
      cli.terminal.tell(`Created grouprule "${name}". It counts for people who have logged in, too.`);
    });
}

function specOf({ value, claim, issuer, team, project, role = 'user', description }: RuleOptions): object {
  return {
    values: value,
    ...(claim !== undefined && { claim }),
    ...(issuer !== undefined && { issuer }),
    ...(description !== undefined && { description }),
    ...(project === undefined ? { team } : { project, clusterRole: clusterRoleOf(role) }),
  };
}
