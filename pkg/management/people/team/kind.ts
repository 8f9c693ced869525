import { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { StoredKind } from '../../../registry/registry.js';
import type { Strategy } from '../../../registry/strategy.js';
import { withAccess } from '../../sharing/withaccess.js';
import { fieldTooMany } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../../registry/object/columns.js';
import { MAX_ACCESS_RULES } from '../../sharing/accesslimit.js';
import { textColumn } from '../../columns.js';
import { validateSubjects } from '../reservednames.js';

type Spec = NonNullable<Team['spec']>;

const specOf = ({ spec = {} }: Team): Spec => spec;

/** Teams decide access, by their members. */
const strategy: Strategy<Team> = {
  generation: true,
  decidesAccess: true,
  columns: [
    textColumn<Team>('Display Name', 'The name shown in the UI.', (team) => specOf(team).displayName ?? ''),
    textColumn<Team>('Users', 'The members of the team.', (team) => (specOf(team).users ?? []).join(', ')),
    ageColumn(humanAge),
    textColumn<Team>(
      'Groups',
      'Groups whose users are members.',
      (team) => (specOf(team).groups ?? []).join(', '),
      1,
    ),
  ],
  prepareForCreate(team) {
    team.status = {};
  },
  validate(team) {
    const { users = [], groups = [], access = [] } = specOf(team);
    const errors = [...validateSubjects('spec.users', users), ...validateSubjects('spec.groups', groups)];
    if (access.length > MAX_ACCESS_RULES)
      errors.push(fieldTooMany('spec.access', access.length, MAX_ACCESS_RULES));
    return errors;
  },
};

export const kind: StoredKind<typeof Team> = {
  definition: Team,
  strategy: withAccess(Team, strategy),
};
