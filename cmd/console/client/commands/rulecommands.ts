/** The commands that do the same as the pages of group rules. */
import { options } from './actioncommands.js';
import { command } from './command.js';

/** What is typed. `role`: the name of a ClusterRole. */
export interface NewRule {
  readonly name: string;
  readonly claim: string;
  readonly values: readonly string[];
  readonly gives: 'team' | 'project';
  readonly team: string;
  readonly project: string;
  readonly role: string;
}

export const createRuleCommand = ({ name, claim, values, gives, team, project, role }: NewRule): string =>
  command(
    'platform',
    'create',
    'grouprule',
    name || 'NAME',
    ...options({ claim }),
    ...values.flatMap((value) => ['--value', value]),
    ...options(gives === 'team' ? { team } : { project, role }),
  );

export const getRuleCommand = (name: string): string =>
  command('platform', 'get', 'grouprule', name, '-o', 'yaml');

export const TEST_CLAIMS_COMMAND = 'platform test claims FILE';
