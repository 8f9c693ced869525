import type { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  findingsOf,
  type FieldError,
} from '../../apimachinery/errors.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy } from '../../registry/strategy.js';
import { textColumn } from '../columns.js';
import { bindingEffects, bindingRepair } from './binding.js';

const ANY = '*';
/** What a rule gives. Another target would be another grant, with other rights of its writer. */
const TARGET = ['team', 'project', 'clusterRole'] as const;

/** The row of a bookmark has no spec. */
const specOf = ({ spec = { values: [] } }: Partial<Pick<GroupRule, 'spec'>>): GroupRule['spec'] => spec;

/** Rules decide access: their binding is written with them. */
export const groupRuleStrategy: Strategy<GroupRule> = {
  generation: true,
  decidesAccess: true,
  columns: [
    textColumn<GroupRule>('Claim', 'The claim that the rule looks at.', (rule) => specOf(rule).claim ?? ''),
    textColumn<GroupRule>('Values', 'The values that it applies to.', (rule) =>
      specOf(rule).values.join(', '),
    ),
    textColumn<GroupRule>('Team', 'The team that it makes a member of.', (rule) => specOf(rule).team ?? ''),
    textColumn<GroupRule>(
      'Project',
      'The project that it gives a role in.',
      (rule) => specOf(rule).project ?? '',
    ),
    textColumn<GroupRule>('Role', 'The role.', (rule) => specOf(rule).clusterRole ?? ''),
    ageColumn(humanAge),
    textColumn<GroupRule>(
      'Issuer',
      'The provider that it counts for.',
      (rule) => specOf(rule).issuer ?? '',
      1,
    ),
  ],
  validate: ({ spec }) => [...validateTarget(spec), ...findingsOf(spec.values.entries(), validateValue)],
  validateUpdate: ({ spec }, { spec: before }) =>
    TARGET.flatMap((member) =>
      (spec[member] ?? '') === (before[member] ?? '')
        ? []
        : [fieldForbidden(`spec.${member}`, 'it cannot be changed: make another rule, and delete this one')],
    ),
  effects: bindingEffects,
  repair: bindingRepair,
};

function validateTarget({ team = '', project = '', clusterRole = '' }: GroupRule['spec']): FieldError[] {
  if (team !== '') {
    const others = project !== '' ? 'project' : clusterRole !== '' ? 'clusterRole' : undefined;
    return others === undefined
      ? []
      : [fieldForbidden(`spec.${others}`, 'may not be set together with spec.team')];
  }
  if (project === '') return [fieldRequired('spec.team', 'set a team, or a project and a clusterRole')];
  return clusterRole === ''
    ? [fieldRequired('spec.clusterRole', 'the role that people get in the project')]
    : [];
}

function validateValue([at, value]: [number, string]): FieldError[] {
  if (!value.slice(0, -ANY.length).includes(ANY)) return [];
  return [fieldInvalid(`spec.values[${at}]`, value, '* may only be the last character')];
}
