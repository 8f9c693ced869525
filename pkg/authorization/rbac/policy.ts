/**
 * The roles and bindings of the store, compiled for those who ask, and forgotten where they change. Roles of objects' rights,
 * and whatever binds them, give nothing here: these rights are judged from the objects.
 */
import type { User } from '../../authentication/interface.js';
import { givesNothing } from '../../management/access/managednames.js';
import { quote } from '../../apimachinery/errors.js';
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import type { RoleRef } from '../../registry/rbac/bindings.js';
import { rulesOf } from '../../registry/rbac/rules.js';
import type { PolicyRule } from '../../registry/rbac/rules.js';
import type { BindingIndex, Bound } from './bindingindex.js';
import { describeBound } from './bindingindex.js';
import { bindingIndexes } from './bindingindexes.js';
import type { GrantedRule, Grants } from './grants.js';
import { grantsOf } from './grants.js';
import type { SubjectKey } from './subjects.js';
import { keysOf } from './subjects.js';

/** The caches of the four kinds. */
export interface RbacCaches {
  readonly roles: ResourceCache;
  readonly clusterRoles: ResourceCache;
  readonly roleBindings: ResourceCache;
  readonly clusterRoleBindings: ResourceCache;
}

/** Whose rights may have changed: `keys` absent, everyone's; `namespace`: `''` for all of them. */
export interface RightsChange {
  readonly namespace: string;
  /** `group/plural` where they are to objects of one kind alone. */
  readonly resource?: string;
  readonly keys?: Iterable<SubjectKey>;
}

type Subjects = Pick<User, 'name' | 'groups'>;

/** As current as the caches. Everything throws `CacheUnavailable` before they are loaded. */
export interface Policy {
  /** What bindings of exactly this scope grant: of the namespace, or with `''` the ClusterRoleBindings. */
  grants(user: Subjects, namespace: string): Grants;
  /** What bindings of exactly this scope say of the user. */
  bound(user: Subjects, namespace: string): Iterable<Bound>;
  /** Where RoleBindings name the user. From here on changes in all namespaces are told. */
  namespaces(user: Subjects): string[];
  /**
   * Told of every change, for namespaces that were asked about before, in the turn in which it comes in, when all caches
   * have it.
   */
  onChange(listener: (change: RightsChange) => void): void;
}

/** Compiled grants kept over all scopes. */
const KEPT = 20_000;

export function followPolicy(caches: RbacCaches): Policy {
  const indexes = bindingIndexes(caches);
  const listeners: ((change: RightsChange) => void)[] = [];
  /** By namespace, then by who. */
  const compiled = new Map<string, Map<string, Grants>>();
  let kept = 0;

  const tell = (change: RightsChange): void => {
    for (const listener of listeners) listener(change);
  };
  const forget = (namespace: string): void => {
    kept -= compiled.get(namespace)?.size ?? 0;
    compiled.delete(namespace);
  };
  const forgetAll = (): void => {
    kept = 0;
    compiled.clear();
  };
  const rebuilt = (): void => {
    indexes.clear();
    forgetAll();
    tell({ namespace: '' });
  };
  const current = [
    onChanges(
      caches.clusterRoles,
      (events) => {
        const told = events.filter(({ entry }) => !givesNothing(entry.name));
        if (told.length > 0) forgetAll();
        for (const { entry } of told)
          for (const [namespace, index] of indexes.built())
            tell({ namespace, keys: index.boundTo({ kind: 'ClusterRole', name: entry.name }) });
      },
      rebuilt,
    ),
    onChanges(
      caches.roles,
      (events) => {
        for (const { entry } of events) {
          if (givesNothing(entry.name)) continue;
          forget(entry.namespace);
          const keys = indexes.find(entry.namespace)?.boundTo({ kind: 'Role', name: entry.name });
          if (keys !== undefined) tell({ namespace: entry.namespace, keys });
        }
      },
      rebuilt,
    ),
    ...[caches.roleBindings, caches.clusterRoleBindings].map((cache) =>
      onChanges(cache, (events) => events.forEach(rebind), rebuilt),
    ),
  ];
  const ensure = (): void => {
    for (const one of current) one();
  };

  function rebind(event: CacheEvent): void {
    const { namespace } = event.entry;
    if (givesNothing(event.entry.name)) return;
    forget(namespace);
    const keys = indexes.changed(event);
    if (keys.length > 0) tell({ namespace, keys });
  }

  function compile(user: Subjects, namespace: string): Grants {
    const index = indexes.of(namespace);
    const rules: GrantedRule[] = [];
    const problems = new Set<string>();
    for (const bound of boundBy(index, user)) {
      const found = rulesOfRole(caches, bound.roleRef, namespace);
      if (found === undefined) problems.add(missing(bound.roleRef));
      else rules.push(...granted(found, describeBound(bound, namespace)));
    }
    return grantsOf(rules, [...problems]);
  }

  return {
    grants(user, namespace) {
      ensure();
      const who = identityOf(user);
      let scope = compiled.get(namespace);
      const found = scope?.get(who);
      if (found !== undefined) return found;
      if (kept >= KEPT) forgetAll();
      scope = compiled.get(namespace);
      if (scope === undefined) compiled.set(namespace, (scope = new Map<string, Grants>()));
      const grants = compile(user, namespace);
      scope.set(who, grants);
      kept += 1;
      return grants;
    },
    bound(user, namespace) {
      ensure();
      return boundBy(indexes.of(namespace), user);
    },
    namespaces(user) {
      ensure();
      const keys = keysOf(user);
      return [...indexes.all()]
        .filter(([, index]) => keys.some((key) => index.names(key)))
        .map(([name]) => name);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

function* boundBy(index: BindingIndex, user: Subjects): Generator<Bound> {
  for (const key of keysOf(user)) yield* index.of(key);
}

/** Lengths keep apart what the texts alone would not. */
function identityOf({ name, groups }: Subjects): string {
  let identity = `${name.length} ${name}`;
  for (const group of groups) identity += ` ${group.length} ${group}`;
  return identity;
}

/** `namespace`: where a Role is looked for. Undefined when there is no such role. */
export function rulesOfRole(
  { roles, clusterRoles }: Pick<RbacCaches, 'roles' | 'clusterRoles'>,
  { kind, name }: RoleRef,
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
