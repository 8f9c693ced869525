/** Authorizes by the objects themselves: their `spec.owner`, `spec.access` and `spec.members`. */
import type { ResourceDefinition } from '../../../../api/resource.js';
import { hasAccess, accessOf, accessRights, memberRights, ownerRights, type ObjectRight } from '../rights.js';
import type { User } from '../../../authentication/interface.js';
import type { Cache } from '../../../cache/interface.js';
import { resourceName } from '../../../registry/keys.js';
import type {
  Attributes,
  Authorizer,
  Decision,
  KindAttributes,
  Rules,
  Visible,
  ResourceAttributes,
} from '../../../authorization/interface.js';
import type { RightsChange } from '../../../authorization/rbac/policy.js';
import { keysOf } from '../../../authorization/rbac/subjects.js';
import { groupStep, userStep, type SubjectLocator, type Step, type Way } from '../../subjectlocator.js';
import { decideByObject, isSubject, covers, type Asked } from './decide.js';
import { kindIndex, type KindIndex, type ObjectRightsChange } from './kindindex.js';
import { resourcesOf } from '../accessroles.js';
import type { ResourceRule } from '../../../apimachinery/attributes.js';

/** One rule for all objects of a namespace on which the user has the same right. Cluster-scoped objects are in every one. */
function resourceRules(index: KindIndex, user: User, namespace: string): ResourceRule[] {
  const { definition } = index;
  const rules = new Map<string, Omit<ResourceRule, 'resourceNames'> & { resourceNames: Set<string> }>();
  for (const key of keysOf(user)) {
    const found = index.naming(key).get(definition.namespaced ? namespace : '');
    for (const [name, rights] of found ?? []) {
      for (const right of rights) {
        if (!isSubject(right, user)) continue;
        const { verbs } = right;
        const resources = resourcesOf(definition, right);
        const same = JSON.stringify([verbs, resources]);
        const rule = rules.get(same) ?? {
          verbs,
          apiGroups: [definition.group],
          resources,
          resourceNames: new Set<string>(),
        };
        rules.set(same, rule);
        rule.resourceNames.add(name);
      }
    }
  }
  return [...rules.values()].map((rule) => ({ ...rule, resourceNames: [...rule.resourceNames] }));
}

const NO_OPINION: Decision = { allowed: false, reason: '' };
const NONE: Visible = { objects: 'none' };

export interface ObjectRightsAuthorizer extends Authorizer, SubjectLocator {
  authorize(user: User, attributes: Attributes): Decision;
  rulesFor(user: User, namespace: string): Rules;
  /** Receives each change of a kind that was read before, in the turn in which the change arrives. */
  onChange(this: void, listener: (change: RightsChange & ObjectRightsChange) => void): void;
  /**
   * Reads the objects of all kinds that were not read yet, so that no request has to. All later changes are passed to
   * listeners.
   */
  begin(this: void): void;
  /** Calls `listener` when {@link begin} has to be called again before listeners receive changes. */
  onLapse(this: void, listener: () => void): void;
  /** The index of a kind (`group/plural`); undefined where its objects give no rights. */
  index(this: void, resource: string): KindIndex | undefined;
}

/**
 * Decides from the caches, without waiting, so that rights begin and end with the write that grants or revokes them.
 * Denies requests without a name, and for objects that do not exist. Throws `CacheUnavailable` before the caches are
 * loaded, RangeError if a kind is not served. `definitions`: all kinds; those without `spec.access` are ignored.
 */
export function objectRightsAuthorizer(
  cache: Cache,
  definitions: readonly ResourceDefinition[],
): ObjectRightsAuthorizer {
  const listeners: Parameters<ObjectRightsAuthorizer['onChange']>[0][] = [];
  const lapses: (() => void)[] = [];
  const indexes = new Map<string, KindIndex>();
  for (const definition of definitions.filter(hasAccess)) {
    const resource = resourceName(definition);
    const changed: Parameters<typeof kindIndex>[2] = (change) => {
      for (const listener of listeners) listener({ ...change, resource });
    };
    const lapsed = (): void => {
      for (const listener of lapses) listener();
    };
    indexes.set(resource, kindIndex(definition, cache.resource(resource), changed, lapsed));
  }
  const find = ({ group, resource }: Pick<KindAttributes, 'group' | 'resource'>): KindIndex | undefined =>
    indexes.get(`${group}/${resource}`);

  function visible(user: User, attributes: KindAttributes): Visible {
    const index = find(attributes);
    if (index === undefined) return NONE;
    const names = new Set<string>();
    for (const key of keysOf(user))
      for (const [name, rights] of index.naming(key).get(attributes.namespace) ?? [])
        if (!names.has(name) && decideByObject(rights, user, attributes).allowed) names.add(name);
    return names.size === 0 ? NONE : { objects: 'names', names };
  }

  return {
    visible,
    authorize(user, attributes) {
      if (attributes.kind !== 'resource' || attributes.name === '') return NO_OPINION;
      const { namespace, name } = attributes;
      const index = find(attributes);
      if (index === undefined || index.definition.namespaced !== (namespace !== '')) return NO_OPINION;
      return decideByObject(index.of(namespace === '' ? name : `${namespace}/${name}`), user, attributes);
    },
    allowedSubjects: (attributes, readable) =>
      readable.has('object') ? allowedSubjects(find(attributes), attributes) : [],
    *namespaces(user) {
      const keys = keysOf(user);
      for (const index of indexes.values())
        if (index.definition.namespaced) for (const key of keys) yield* index.naming(key).keys();
    },
    rulesFor: (user, namespace) => ({
      resourceRules: [...indexes.values()].flatMap((index) => resourceRules(index, user, namespace)),
      nonResourceRules: [],
      incomplete: false,
    }),
    onChange: (listener) => void listeners.push(listener),
    onLapse: (listener) => void lapses.push(listener),
    begin: () => {
      for (const index of indexes.values()) index.of('');
    },
    index: (resource) => indexes.get(resource),
  };
}

/** Each access rule is told by its name, or by where it is. `index`: of the kind; undefined: its objects give no rights. */
function* allowedSubjects(index: KindIndex | undefined, asked: ResourceAttributes): Generator<Way> {
  const { namespace, name } = asked;
  const object = index?.object(namespace === '' ? name : `${namespace}/${name}`);
  if (index === undefined || object === undefined || index.definition.namespaced !== (namespace !== ''))
    return;
  const { definition: kind } = index;
  yield* waysOf(ownerRights(kind, object), asked, { kind: 'Owner', name: 'spec.owner' });
  for (const [at, rule] of accessOf(object).entries()) {
    const alone = accessRights(kind, { ...object, spec: { access: [rule] } });
    yield* waysOf(alone, asked, { kind: 'AccessRule', name: rule.name || `spec.access[${at}]` });
  }
  yield* waysOf(memberRights(kind, object), asked, { kind: 'Member', name: 'spec.members' });
}

function* waysOf(rights: readonly ObjectRight[], asked: Asked, by: Step): Generator<Way> {
  for (const right of rights) {
    if (!covers(right, asked)) continue;
    const granting = { ...by, verbs: [...right.verbs] };
    for (const user of right.users) yield { steps: [userStep(user), granting] };
    for (const group of right.groups) yield { steps: [groupStep(group), granting] };
  }
}
