/** Adds access rules to the strategy of a kind. */
import type { Condition } from '../../../api/meta/v1/condition.js';
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { membersOf } from '../../apimachinery/encoding/members.js';
import { accessOf, ownerOf, type AccessRule } from './rights.js';
import { SYNC } from './syncgrants.js';
import { fieldInvalid, fieldRequired, findingsOf, type FieldError } from '../../apimachinery/errors.js';
import type { Effects } from '../../registry/transaction/effects.js';
import type { Strategy } from '../../registry/strategy.js';
import { MAX_ACCESS_NAMES } from './accesslimit.js';
import { derivedRoles } from './derivedroles.js';
import { accessRepair, changesRights } from './effects.js';

const LISTS = ['verbs', 'subresources', 'users', 'teams', 'projects'] as const;

/**
 * Extends the strategy of a kind with `spec.access`, and `spec.owner` where it has one: roles follow from the
 * object, and the condition `AccessReady` reports it.
 */
export function withAccess<T extends KubeObject>(
  definition: ResourceDefinition,
  strategy: Strategy<T>,
): Strategy<T> {
  const reports = hasConditions(definition);
  return {
    ...strategy,
    derived: derivedRoles(definition),
    prepareForCreate(object, context) {
      strategy.prepareForCreate?.(object, context);
      if (reports) reportReady(object, context.now);
    },
    prepareForUpdate(next, previous, context) {
      strategy.prepareForUpdate?.(next, previous, context);
      if (reports && context.subresource === '') reportReady(next, context.now);
    },
    validate: (object) => [
      ...(strategy.validate?.(object) ?? []),
      ...validateOwner(object),
      ...validateNameCount(object),
      ...findingsOf(accessOf(object).entries(), ([at, rule]) => validateRule(rule, `spec.access[${at}]`)),
    ],
    repair: (change, objects) => accessRepair(definition, change, objects),
    async effects(change, objects): Promise<Effects> {
      const { writes = [], guards = [] } = (await strategy.effects?.(change, objects)) ?? {};
      return { writes, guards, decidesAccess: changesRights(definition, change) };
    },
  };
}

function hasConditions({ schema }: ResourceDefinition): boolean {
  const { properties } = membersOf(schema.properties.status);
  return membersOf(properties).conditions !== undefined;
}

/** Roles follow from the object, so they always exist. */
function reportReady(object: KubeObject, now: string): void {
  const status: { conditions?: readonly Condition[] } = object.status ?? {};
  const { conditions = [] } = status;
  if (conditions.some(({ type, status: is }) => type === 'AccessReady' && is === 'True')) return;
  const ready: Condition = {
    type: 'AccessReady',
    status: 'True',
    lastTransitionTime: now,
    reason: 'RolesWritten',
    message: '',
  };
  object.status = {
    ...status,
    conditions: [...conditions.filter(({ type }) => type !== 'AccessReady'), ready],
  };
}

/** `*` would make everybody the owner. */
function validateOwner(object: KubeObject): FieldError[] {
  return Object.entries(ownerOf(object)).flatMap(([member, name]) =>
    name === '*' ? [fieldInvalid(`spec.owner.${member}`, name, 'must be a name')] : [],
  );
}

/** Limits the names, so that a write does not delay others while its rights are computed. */
function validateNameCount(object: KubeObject): FieldError[] {
  const count = accessOf(object).reduce(
    (sum, { users = [], teams = [], projects = [] }) => sum + users.length + teams.length + projects.length,
    0,
  );
  return count > MAX_ACCESS_NAMES
    ? [
        fieldInvalid(
          'spec.access',
          count,
          `must not name more than ${MAX_ACCESS_NAMES} users, teams and projects in all`,
        ),
      ]
    : [];
}

/** Empty names are not allowed. A project is no user: its places can only be given secrets. */
function validateRule(rule: AccessRule, path: string): FieldError[] {
  const { verbs = [], projects = [] } = rule;
  const empty = LISTS.flatMap((list) =>
    findingsOf((rule[list] ?? []).entries(), ([at, name]) =>
      name === '' ? [fieldRequired(`${path}.${list}[${at}]`)] : [],
    ),
  );
  const onlySync = verbs.length > 0 && verbs.every((verb) => verb === SYNC);
  return projects.length === 0 || onlySync
    ? empty
    : [...empty, fieldInvalid(`${path}.verbs`, verbs, 'must be sync alone in a rule with projects')];
}
