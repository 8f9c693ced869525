/** The roles and bindings of the store, compiled for each user on demand, and dropped when they change. */
import type { User } from '../../authentication/interface.js';
import { quote } from '../../apimachinery/errors.js';
import type { CacheEvent } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import type { RoleRef } from '../../registry/rbac/bindings.js';
import { rulesOf, type PolicyRule } from '../../registry/rbac/rules.js';
import { describeBound, type BindingIndex, type Bound } from './bindingindex.js';
import { BindingIndexes } from './bindingindexes.js';
import type { RbacCaches } from './caches.js';
import { grantsOf, type GrantedRule, type Grants } from './grants.js';
import { keysOf, type SubjectKey } from './subjects.js';

/** The subjects whose rights may have changed. `keys` absent: all subjects; `namespace` `''`: all namespaces. */
export interface RightsChange {
  readonly namespace: string;
  /** `group/plural` where they are to objects of one kind alone. */
  readonly resource?: string;
  readonly keys?: Iterable<SubjectKey>;
}

type Subjects = Pick<User, 'name' | 'groups'>;

/** Maximum number of users with compiled grants, over all scopes. */
const MAX_CACHED_USERS = 20_000;
/** Unused grants are dropped after this time, such as those of deleted users or former groups. */
const KEPT_MS = 10 * 60_000;

/** Compiled grants of one scope. Users with the same bindings, such as by a group, share them. */
interface Compiled {
  /** By user. */
  readonly byUser: Map<string, Grants>;
  /** By the description of each binding (`describeBound`). */
  readonly byBindings: Map<string, Grants>;
}

/** As current as the caches. Everything throws `CacheUnavailable` before they are loaded. */
export class Policy {
  private readonly indexes: BindingIndexes;
  private readonly listeners: ((change: RightsChange) => void)[] = [];
  /** By namespace. */
  private compiled = new Map<string, Compiled>();
  /** Grants from before {@link since}, reused if a user requests them again. */
  private earlier = new Map<string, Compiled['byBindings']>();
  private kept = 0;
  private since: number;
  /** Each follows a cache from its first call on. */
  private readonly informers: readonly (() => void)[];

  constructor(
    private readonly caches: RbacCaches,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.since = now();
    this.indexes = new BindingIndexes(caches);
    const rebuilt = (): void => this.rebuilt();
    const rebind = (events: readonly CacheEvent[]): void => events.forEach((event) => this.rebind(event));
    this.informers = [
      onChanges(caches.clusterRoles, (events) => this.clusterRolesChanged(events), rebuilt),
      onChanges(caches.roles, (events) => this.rolesChanged(events), rebuilt),
      onChanges(caches.roleBindings, rebind, rebuilt),
      onChanges(caches.clusterRoleBindings, rebind, rebuilt),
    ];
  }

  /** The grants of bindings in exactly this scope: a namespace, or `''` for the ClusterRoleBindings. */
  grants(user: Subjects, namespace: string): Grants {
    this.ensure();
    const who = identityOf(user);
    const found = this.compiled.get(namespace)?.byUser.get(who);
    if (found !== undefined) return found;
    if (this.kept >= MAX_CACHED_USERS || this.now() - this.since > KEPT_MS) this.age();
    const bounds = [...boundBy(this.indexes.of(namespace), user)];
    const words = bounds.map((bound) => describeBound(bound, namespace)).join('\n');
    const scope = this.scope(namespace);
    const grants =
      scope.byBindings.get(words) ??
      this.earlier.get(namespace)?.get(words) ??
      compile(this.caches, bounds, namespace);
    scope.byBindings.set(words, grants);
    scope.byUser.set(who, grants);
    this.kept += 1;
    return grants;
  }

  /** The subjects of bindings that match the user in exactly this scope. */
  bound(user: Subjects, namespace: string): Iterable<Bound> {
    this.ensure();
    return boundBy(this.indexes.of(namespace), user);
  }

  /** Of the bindings of exactly this scope. */
  boundByRole(namespace: string): ReturnType<BindingIndex['byRoles']> {
    this.ensure();
    return this.indexes.of(namespace).byRoles();
  }

  /** The namespaces with RoleBindings of the user. From here on, listeners receive changes of all namespaces. */
  namespaces(user: Subjects): string[] {
    this.ensure();
    const keys = keysOf(user);
    return [...this.indexes.all()]
      .filter(([, index]) => keys.some((key) => index.names(key)))
      .map(([name]) => name);
  }

  /**
   * Calls the listener for each change in namespaces that were read before, in the turn in which it arrives, when all
   * caches have it.
   */
  onChange(listener: (change: RightsChange) => void): void {
    this.listeners.push(listener);
  }

  private ensure(): void {
    for (const informer of this.informers) informer();
  }

  private clusterRolesChanged(events: readonly CacheEvent[]): void {
    const granting = events.filter(({ entry }) => !this.caches.isIgnored(entry.name));
    if (granting.length > 0) this.forgetAll();
    for (const { entry } of granting)
      for (const [namespace, index] of this.indexes.built())
        this.notify({ namespace, keys: index.boundTo({ kind: 'ClusterRole', name: entry.name }) });
  }

  private rolesChanged(events: readonly CacheEvent[]): void {
    for (const { entry } of events) {
      if (this.caches.isIgnored(entry.name)) continue;
      this.forget(entry.namespace);
      const keys = this.indexes.find(entry.namespace)?.boundTo({ kind: 'Role', name: entry.name });
      if (keys !== undefined) this.notify({ namespace: entry.namespace, keys });
    }
  }

  private rebind(event: CacheEvent): void {
    const { namespace } = event.entry;
    if (this.caches.isIgnored(event.entry.name)) return;
    this.forget(namespace);
    const keys = this.indexes.changed(event);
    if (keys.length > 0) this.notify({ namespace, keys });
  }

  private rebuilt(): void {
    this.indexes.clear();
    this.forgetAll();
    this.notify({ namespace: '' });
  }

  private notify(change: RightsChange): void {
    for (const listener of this.listeners) listener(change);
  }

  private scope(namespace: string): Compiled {
    const found = this.compiled.get(namespace);
    if (found !== undefined) return found;
    const made: Compiled = { byUser: new Map<string, Grants>(), byBindings: new Map<string, Grants>() };
    this.compiled.set(namespace, made);
    return made;
  }

  /** Drops the list of users, and grants that were not used since the last call. */
  private age(): void {
    this.earlier = new Map([...this.compiled].map(([namespace, { byBindings }]) => [namespace, byBindings]));
    this.compiled = new Map<string, Compiled>();
    [this.kept, this.since] = [0, this.now()];
  }

  private forget(namespace: string): void {
    this.kept -= this.compiled.get(namespace)?.byUser.size ?? 0;
    this.compiled.delete(namespace);
    this.earlier.delete(namespace);
  }

  private forgetAll(): void {
    this.kept = 0;
    this.compiled.clear();
    this.earlier.clear();
  }
}

function compile(caches: RbacCaches, bounds: readonly Bound[], namespace: string): Grants {
  const rules: GrantedRule[] = [];
  const problems = new Set<string>();
  for (const bound of bounds) {
    const found = rulesOfRole(caches, bound.roleRef, namespace);
    if (found === undefined) problems.add(missing(bound.roleRef));
    else rules.push(...granted(found, describeBound(bound, namespace)));
  }
  return grantsOf(rules, [...problems]);
}

function* boundBy(index: BindingIndex, user: Subjects): Generator<Bound> {
  for (const key of keysOf(user)) yield* index.of(key);
}

/** Lengths separate names and groups unambiguously. */
function identityOf({ name, groups }: Subjects): string {
  let identity = `${name.length} ${name}`;
  for (const group of groups) identity += ` ${group.length} ${group}`;
  return identity;
}

/** `namespace`: of a Role. Undefined if the role does not exist. */
export function rulesOfRole(
  { roles, clusterRoles }: Pick<RbacCaches, 'roles' | 'clusterRoles'>,
  { kind, name }: Pick<RoleRef, 'kind' | 'name'>,
  namespace: string,
): readonly PolicyRule[] | undefined {
  const entry =
    kind === 'ClusterRole' ? clusterRoles.latest().get(name) : roles.latest().get(`${namespace}/${name}`);
  return entry && rulesOf(entry.object());
}

const granted = (rules: readonly PolicyRule[], because: string): GrantedRule[] =>
  rules.map((rule) => ({ rule, because }));

const missing = ({ kind, name }: RoleRef): string =>
  `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quote(name)} not found`;
