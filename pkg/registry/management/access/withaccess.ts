/** Makes a kind one whose access rules are in force. */
import type { Condition } from '../../../../api/meta/v1/condition.js';
import type { KubeObject, ResourceDefinition } from '../../../../api/resource.js';
import type { AccessRule } from '../../../apimachinery/access/accessroles.js';
import { accessOf, ownerOf } from '../../../apimachinery/access/accessroles.js';
import type { FieldError } from '../../../apimachinery/errors.js';
import { fieldInvalid, fieldRequired, findingsOf } from '../../../apimachinery/errors.js';
import type { Effects } from '../../effects.js';
import type { Strategy } from '../../strategy.js';
import { accessEffects } from './effects.js';

const LISTS = ['verbs', 'subresources', 'users', 'teams'] as const;

/**
 * The strategy of a kind with `spec.access`, and `spec.owner` where it has one: its roles are written with it, and
 * where its status has conditions, `AccessReady` says so.
 */
export function withAccess(definition: ResourceDefinition, strategy: Strategy): Strategy {
  const reports = hasConditions(definition);
  return {
    ...strategy,
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
      ...findingsOf(accessOf(object).entries(), ([at, rule]) => validateRule(rule, `spec.access[${at}]`)),
    ],
    repair: (change, objects) => accessEffects(definition, change, objects),
    async effects(change, objects): Promise<Effects> {
      const own = await strategy.effects?.(change, objects);
      const { writes } = await accessEffects(definition, change, objects);
      return { writes: [...(own?.writes ?? []), ...writes], guards: own?.guards ?? [] };
    },
  };
}

function hasConditions({ schema }: ResourceDefinition): boolean {
  const { status } = schema.properties as { status?: { properties?: Record<string, unknown> } };
  return status?.properties?.conditions !== undefined;
}

/** Roles are written with the object, so whenever it is there they are. */
function reportReady(object: KubeObject, now: string): void {
  const status = (object.status ?? {}) as { conditions?: readonly Condition[] };
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

/** An object is somebody's: in the owner's role, as in other rules, `*` would be everyone. */
function validateOwner(object: KubeObject): FieldError[] {
  return Object.entries(ownerOf(object)).flatMap(([member, name]) =>
    name === '*' ? [fieldInvalid(`spec.owner.${member}`, name, 'must be a name')] : [],
  );
}

/** Names that are empty are nobody's. */
function validateRule(rule: AccessRule, path: string): FieldError[] {
  return LISTS.flatMap((list) =>
    findingsOf((rule[list] ?? []).entries(), ([at, name]) =>
      name === '' ? [fieldRequired(`${path}.${list}[${at}]`)] : [],
    ),
  );
}
