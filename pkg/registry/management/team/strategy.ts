import type { Team } from '../../../../api/management.svc.example/v1/team.js';
import type { KubeObject } from '../../../../api/resource.js';
import { fieldTooMany } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../object/columns.js';
import type { Strategy } from '../../strategy.js';
import { MAX_ACCESS_RULES } from '../accesslimit.js';
import { textColumn } from '../columns.js';
import { validateSubjects } from '../reserved.js';

type Spec = NonNullable<Team['spec']>;

const specOf = (object: KubeObject): Spec => (object.spec ?? {}) as Spec;

/** Who is in a team decides access. */
export const teamStrategy: Strategy = {
  generation: true,
  decidesAccess: true,
  columns: [
    textColumn('Display Name', 'The name shown in the UI.', (team) => specOf(team).displayName ?? ''),
    textColumn('Users', 'The members of the team.', (team) => (specOf(team).users ?? []).join(', ')),
    ageColumn(humanAge),
    textColumn(
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
