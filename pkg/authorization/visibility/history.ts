/** Whether a user saw the same of a collection at a past revision, told from what has changed since. */
import type { User } from '../../authentication/interface.js';
import type { CacheEvent, ResourceCache, Snapshot } from '../../cache/interface.js';
import type { KubeObject } from '../../../api/resource.js';
import type { RoleRef } from '../../registry/rbac/bindings.js';
import { roleRefOf, subjectsOf } from '../../registry/rbac/bindings.js';
import type { PolicyRule } from '../../registry/rbac/rules.js';
import { rulesOf } from '../../registry/rbac/rules.js';
import { coversAction } from '../rbac/match.js';
import type { RbacCaches } from '../rbac/policy.js';
import { rulesOfRole } from '../rbac/policy.js';
import { keyOf, keysOf } from '../rbac/subjects.js';
import type { IdentityObjects } from './feed.js';
import { changedCredential, changedKeyHolder, changedMembers, changedUser } from './feed.js';
import type { Collection } from './sight.js';

export interface RightsHistory {
  /**
   * False where it did not, and where that cannot be told any more. Rights on what did not exist then, and rights that
   * were given and taken in between, count for nothing. `objects`: of the kind.
   */
  heldSince(user: User, collection: Collection, objects: ResourceCache, revision: number): boolean;
}

/** `bound`: the roles that bindings of exactly this scope give to the user now. */
export function rightsHistory(
  rbac: RbacCaches,
  identities: IdentityObjects,
  bound: (user: User, namespace: string) => Iterable<RoleRef>,
): RightsHistory {
  const rules: Question['rulesOfRole'] = (ref, namespace) => rulesOfRole(rbac, ref, namespace);
  return {
    heldSince(user, collection, objects, revision) {
      if (revision >= objects.revision()) return true;
      const then = objects.at(revision);
      const changes = then && changesSince(rbac, identities, collection, revision);
      if (then === undefined || changes === undefined) return false;
      const own = new Set(keysOf(user));
      if (changes.identities.some((key) => own.has(key))) return false;
      return rightsHeld(changes, { user, own, collection, then, bound, rulesOfRole: rules });
    },
  };
}

const KEYS = 'ownedaccesskeys';

interface Changes {
  readonly identities: readonly string[];
  readonly bindings: readonly CacheEvent[];
  readonly roles: readonly CacheEvent[];
}

/** Undefined: they are not all known any more. */
function changesSince(
  rbac: RbacCaches,
  { users, teams, keys }: IdentityObjects,
  { namespace, resource }: Collection,
  revision: number,
): Changes | undefined {
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const found = [
    [rbac.clusterRoleBindings, ''],
    [rbac.roleBindings, prefix],
    [rbac.clusterRoles, ''],
    [rbac.roles, prefix],
    [users, ''],
    [teams, ''],
    [keys, ''],
  ] as const;
  const events: (readonly CacheEvent[])[] = [];
  for (const [cache, under] of found) {
    const some = eventsAfter(cache, revision, under);
    if (some === undefined) return undefined;
    events.push(some);
  }
  const [
    ofCluster = [],
    local = [],
    clusterRoles = [],
    roles = [],
    people = [],
    groups = [],
    credentials = [],
  ] = events;
  return {
    bindings: [...ofCluster, ...local],
    roles: [...clusterRoles, ...roles],
    identities: [
      ...people.flatMap(changedUser),
      ...groups.flatMap(changedMembers),
      ...credentials.flatMap(changedCredential),
      // A key that is new is nothing that was there then.
      ...(resource === KEYS ? credentials.filter(({ previous }) => previous !== undefined) : []).flatMap(
        changedKeyHolder,
      ),
    ],
  };
}

function eventsAfter(cache: ResourceCache, after: number, prefix: string): readonly CacheEvent[] | undefined {
  const found: CacheEvent[] = [];
  const subscription = cache.subscribe(
    { after, prefix },
    { events: (events) => void found.push(...events), progress: () => undefined, end: () => undefined },
  );
  if ('oldest' in subscription) return undefined;
  subscription.cancel();
  return found;
}

interface Question {
  readonly user: User;
  readonly own: ReadonlySet<string>;
  readonly collection: Collection;
  /** The kind's objects at the past revision. */
  readonly then: Snapshot;
  readonly bound: (user: User, namespace: string) => Iterable<RoleRef>;
  readonly rulesOfRole: (role: RoleRef, namespace: string) => readonly PolicyRule[] | undefined;
}

const VERBS = ['get', 'list', 'watch'] as const;

function rightsHeld({ bindings, roles }: Changes, question: Question): boolean {
  const { user, own, bound } = question;
  const mine = bindings.filter((event) => statesOf(event).some((binding) => names(binding, own)));
  if (mine.length === 0 && roles.length === 0) return true;
  const changedRoles = new Map<string, KubeObject[]>();
  for (const event of roles) {
    const at = roleKey(event.entry.namespace === '' ? 'ClusterRole' : 'Role', event.entry);
    changedRoles.set(at, [...(changedRoles.get(at) ?? []), ...statesOf(event)]);
  }
  const scopes = new Set(['', ...mine.map(({ entry }) => entry.namespace)]);
  if (question.collection.namespace !== '') scopes.add(question.collection.namespace);
  else for (const { entry } of roles) scopes.add(entry.namespace);
  // Roles that changed and are the user's, and roles whose bindings to the user changed.
  for (const scope of scopes) {
    const refs = [...bound(user, scope)];
    const gained = mine
      .filter(({ entry }) => entry.namespace === scope)
      .flatMap(statesOf)
      .map(roleRefOf);
    for (const ref of [...refs, ...gained]) {
      const states = changedRoles.get(roleKey(ref.kind, { namespace: scope, name: ref.name })) ?? [];
      const rules = states.map(rulesOf);
      if (gained.some(({ kind, name }) => kind === ref.kind && name === ref.name))
        rules.push(question.rulesOfRole(ref, scope) ?? []);
      if (rules.some((some) => !holds(some, scope, question))) return false;
    }
  }
  return true;
}

const statesOf = ({ entry, previous, deleted }: CacheEvent): KubeObject[] => [
  ...(previous === undefined ? [] : [previous.object()]),
  ...(deleted ? [] : [entry.object()]),
];

function names(binding: KubeObject, own: ReadonlySet<string>): boolean {
  const { namespace = '' } = binding.metadata;
  return subjectsOf(binding).some((subject) => own.has(keyOf(subject, namespace) ?? ''));
}

const roleKey = (kind: string, { namespace = '', name }: { namespace?: string; name: string }): string =>
  kind === 'ClusterRole' ? `/${name}` : `${namespace}/${name}`;

/** Whether rules, bound in `scope`, speak of nothing that was there. */
function holds(rules: readonly PolicyRule[], scope: string, { collection, then }: Question): boolean {
  const { group, resource, namespaced } = collection;
  return rules.every((rule) => {
    if (!VERBS.some((verb) => coversAction(rule, { verb, group, resource, subresource: '' }))) return true;
    const only = rule.resourceNames ?? [];
    const at = scope === '' ? collection.namespace : scope;
    if (only.length === 0 || (namespaced && at === '')) return false;
    return only.every((name) => then.get(namespaced ? `${at}/${name}` : name) === undefined);
  });
}
