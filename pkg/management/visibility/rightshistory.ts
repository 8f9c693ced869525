/** Decides from the changes since then whether a user saw the same objects of a collection at a past revision. */
import { textIn } from '../../apimachinery/encoding/members.js';
import type { IdentityCaches } from '../people/identities/caches.js';
import type { User } from '../../authentication/interface.js';
import type { CacheEvent, ResourceCache, Snapshot } from '../../cache/interface.js';
import type { KubeObject } from '../../../api/resource.js';
import { roleRefOf, subjectsOf, type RoleRef } from '../../registry/rbac/bindings.js';
import { rulesOf, type PolicyRule } from '../../registry/rbac/rules.js';
import { coversAction } from '../../authorization/rbac/match.js';
import { rulesOfRole } from '../../authorization/rbac/policy.js';
import type { RbacCaches } from '../../authorization/rbac/caches.js';
import { keyOf, keysOf } from '../../authorization/rbac/subjects.js';
import {
  changedCredential,
  changedKeyHolder,
  changedByRule,
  changedMembers,
  changedTokenHolder,
  changedUser,
} from './rightschanges.js';
import { eventsAfter } from './eventsafter.js';
import type { RevisionMap } from './revisionmap.js';
import type { Collection } from './filter.js';

export interface RightsHistory {
  /**
   * False if not, and if the changes are no longer known. Ignores rights on newer objects, and rights that were
   * granted and revoked in between. `objects`: of the kind.
   */
  unchangedSince(user: User, collection: Collection, objects: ResourceCache, revision: number): boolean;
}

/** `bound`: the roles that bindings of exactly this scope give to the user now. */
export function rightsHistory(
  rbac: RbacCaches,
  identities: IdentityCaches,
  bound: (user: User, namespace: string) => Iterable<RoleRef>,
  revisionMap?: Pick<RevisionMap, 'past' | 'unchangedSince'>,
): RightsHistory {
  const rules: Question['rulesOfRole'] = (ref, namespace) => rulesOfRole(rbac, ref, namespace);
  return {
    unchangedSince(user, collection, objects, revision) {
      if (revision >= objects.revision() && revisionMap?.unchangedSince(revision) !== false) return true;
      const own = new Set(keysOf(user));
      const people = identitiesSince(identities, collection, revision);
      if (people === undefined || people.some((key) => own.has(key))) return false;
      const spans = spansSince(rbac, collection, objects, revision, revisionMap);
      if (spans === undefined) return false;
      return spans.every((span) =>
        rightsHeld(span, { user, own, collection, then: span.then, bound, rulesOfRole: rules }),
      );
    },
  };
}

const KEYS = 'ownedaccesskeys';
const TOKENS = 'directclusterendpointtokens';

/** Changes of roles and bindings. */
interface Changes {
  readonly bindings: readonly CacheEvent[];
  readonly roles: readonly CacheEvent[];
}

/** `then`: the state before the changes. */
type Span = Changes & { readonly then: Snapshot };

/** The subjects whose groups or keys changed. Undefined if the changes are no longer known. */
function identitiesSince(
  { users, teams, rules, keys, tokens }: IdentityCaches,
  { resource }: Collection,
  revision: number,
): readonly string[] | undefined {
  const people = eventsAfter(users, revision, '');
  const groups = eventsAfter(teams, revision, '');
  const byRules = eventsAfter(rules, revision, '');
  const credentials = eventsAfter(keys, revision, '');
  const records = resource === TOKENS ? eventsAfter(tokens, revision, '') : [];
  if (people === undefined || groups === undefined || byRules === undefined) return undefined;
  if (credentials === undefined || records === undefined) return undefined;
  return [
    ...people.flatMap(changedUser),
    ...groups.flatMap(changedMembers),
    ...byRules.flatMap(changedByRule),
    ...credentials.flatMap(changedCredential),
    ...(resource === KEYS ? changedBefore(credentials) : []).flatMap(changedKeyHolder),
    ...changedBefore(records).flatMap(changedTokenHolder),
  ];
}

/** Without the changes of newer objects. An object with the name of a deleted one is another object. */
function changedBefore(events: readonly CacheEvent[]): CacheEvent[] {
  const touched = new Set<string>();
  return events.filter(({ entry, previous }) => {
    const counts = previous !== undefined || touched.has(entry.path);
    touched.add(entry.path);
    return counts;
  });
}

/** Undefined if the changes are no longer known. */
function spansSince(
  rbac: RbacCaches,
  collection: Collection,
  objects: ResourceCache,
  revision: number,
  revisionMap: Pick<RevisionMap, 'past'> | undefined,
): Span[] | undefined {
  const then = objects.at(revision);
  if (then === undefined) return undefined;
  if (revisionMap === undefined) {
    const changes = changesAfter(rbac, collection, () => revision);
    return changes && [{ ...changes, then }];
  }
  const past = revisionMap.past(revision);
  const before = past && objects.at(past.surely.own);
  const changes = past && changesAfter(rbac, collection, (cache) => past.surely.of.get(cache) ?? 0);
  if (past === undefined || before === undefined || changes === undefined) return undefined;
  // Rights precede the objects that were created with them.
  const early = (cache: ResourceCache, event: CacheEvent): boolean =>
    event.revision <= (past.atMost.get(cache) ?? 0);
  return [
    { ...only(changes, early), then: before },
    // Objects of that time may have changed after the user saw them.
    {
      ...only(changes, (cache, event) => event.previous !== undefined || !early(cache, event)),
      then,
    },
  ];
}

type ChangesByCache = Changes & { readonly of: ReadonlyMap<CacheEvent, ResourceCache> };

function only(
  { bindings, roles, of }: ChangesByCache,
  which: (cache: ResourceCache, event: CacheEvent) => boolean,
): Changes {
  const meant = (event: CacheEvent): boolean => which(of.get(event)!, event);
  return { bindings: bindings.filter(meant), roles: roles.filter(meant) };
}

/** `after`: the revision of a cache from which on its changes count. */
function changesAfter(
  rbac: RbacCaches,
  { namespace }: Collection,
  after: (cache: ResourceCache) => number,
): ChangesByCache | undefined {
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const of = new Map<CacheEvent, ResourceCache>();
  const since = (cache: ResourceCache, under: string): readonly CacheEvent[] | undefined => {
    const events = eventsAfter(cache, after(cache), under)?.filter((event) => countsByItself(rbac, event));
    for (const event of events ?? []) of.set(event, cache);
    return events;
  };
  const ofCluster = since(rbac.clusterRoleBindings, '');
  const local = since(rbac.roleBindings, prefix);
  const clusterRoles = since(rbac.clusterRoles, '');
  const roles = since(rbac.roles, prefix);
  if (ofCluster === undefined || local === undefined) return undefined;
  if (clusterRoles === undefined || roles === undefined) return undefined;
  return { bindings: [...ofCluster, ...local], roles: [...clusterRoles, ...roles], of };
}

/** Skips roles and bindings that represent rights on objects, as those rights come from the objects. */
function countsByItself({ isIgnored }: RbacCaches, { entry }: CacheEvent): boolean {
  if (isIgnored(entry.name)) return false;
  const { roleRef } = entry.object();
  return roleRef === undefined || !isIgnored(textIn(roleRef, 'name') ?? '');
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
