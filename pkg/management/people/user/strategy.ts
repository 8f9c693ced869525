import type { User } from '../../../../api/management.svc.example/v1/user.js';
import { fieldInvalid, fieldTooMany } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../../registry/object/columns.js';
import type { Strategy } from '../../../registry/strategy.js';
import { MAX_ACCESS_RULES } from '../../sharing/accesslimit.js';
import { textColumn } from '../../columns.js';
import { validateSubjects } from '../reservednames.js';
import { subjectEffects } from './subjectclaim.js';

type Spec = NonNullable<User['spec']>;

const specOf = ({ spec = {} }: User): Spec => spec;

/** Users decide access; requests use the name of the object. */
export const userStrategy: Strategy<User> = {
  generation: true,
  decidesAccess: true,
  columns: [
    textColumn<User>('Display Name', 'The name shown in the UI.', (user) => specOf(user).displayName ?? ''),
    textColumn<User>('Email', 'The e-mail address of the user.', (user) => specOf(user).email ?? ''),
    textColumn<User>('Disabled', 'Whether the user has no access.', (user) =>
      String(specOf(user).disabled ?? false),
    ),
    ageColumn(humanAge),
    textColumn<User>(
      'Groups',
      'The groups of the user.',
      (user) => (specOf(user).groups ?? []).join(', '),
      1,
    ),
  ],
  prepareForCreate(user) {
    user.status = {};
  },
  prepareForUpdate(next, previous) {
    const { tokenGeneration } = specOf(previous);
    if (tokenGeneration !== undefined && specOf(next).tokenGeneration === undefined)
      next.spec = { ...specOf(next), tokenGeneration };
    // What the provider said of a login says nothing of another one.
    if (
      next.status?.login !== undefined &&
      (specOf(next).subject ?? '') !== (specOf(previous).subject ?? '')
    ) {
      const { login: _, ...status } = next.status;
      next.status = status;
    }
  },
  validate(user) {
    const { groups = [], access = [] } = specOf(user);
    const errors = validateSubjects('spec.groups', groups);
    if (access.length > MAX_ACCESS_RULES)
      errors.push(fieldTooMany('spec.access', access.length, MAX_ACCESS_RULES));
    return errors;
  },
  effects: subjectEffects,
  /** Revoked tokens stay revoked. */
  validateUpdate(next, previous) {
    const [after, before] = [specOf(next).tokenGeneration ?? 0, specOf(previous).tokenGeneration ?? 0];
    if (after >= before) return [];
    return [fieldInvalid('spec.tokenGeneration', after, `must not be less than before: ${before}`)];
  },
};
