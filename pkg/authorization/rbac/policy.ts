/** The roles and bindings of the store, compiled for those who ask, and forgotten where they change. */
import type { User } from '../../authentication/interface.js';
import { quote } from '../../apimachinery/errors.js';
import type { CacheEvent, ResourceCache } from '../../cache/interface.js';
import type { RoleRef } from '../../registry/rbac/bindings.js';
import { rulesOf } from '../../registry/rbac/rules.js';
import type { PolicyRule } from '../../registry/rbac/rules.js';
import type { BindingIndex } from './bindingindex.js';
import { bindingIndex, describeBound } from './bindingindex.js';
import { followCache } from './follow.js';
import type { GrantedRule, Grants } from './grants.js';
import { grantsOf } from './grants.js';
import { keysOf } from './subjects.js';

/** The caches of the four kinds. */
export interface RbacCaches {
  readonly roles: ResourceCache;
  readonly clusterRoles: ResourceCache;
  readonly roleBindings: ResourceCache;
  readonly clusterRoleBindings: ResourceCache;
}

export interface Policy {
  /**
   * What bindings of exactly this scope grant: of the namespace, or with `''` the ClusterRoleBindings. As current as the
   * caches. Throws `CacheUnavailable` before they are loaded.
   */
  grants(user: Pick<User, 'name' | 'groups'>, namespace: string): Grants;
}

/** Compiled grants kept over all scopes. */
const KEPT = 20_000;

export function followPolicy(caches: RbacCaches): Policy {
  /** By namespace: the bindings, indexed when first asked for. */
  const indexes = new Map<string, BindingIndex>();
  /** By namespace, then by who. */
  const compiled = new Map<string, Map<string, Grants>>();
  let kept = 0;

  const forget = (namespace: string): void => {
    kept -= compiled.get(namespace)?.size ?? 0;
    compiled.delete(namespace);
  };
  const forgetAll = (): void => {
    kept = 0;
    compiled.clear();
  };
  const current = [
    followCache(caches.clusterRoles, forgetAll, forgetAll),
    followCache(caches.roles, (events) => events.forEach(({ entry }) => forget(entry.namespace)), forgetAll),
    ...[caches.roleBindings, caches.clusterRoleBindings].map((cache) =>
      followCache(
        cache,
        (events) => events.forEach(rebind),
        () => {
          indexes.clear();
          forgetAll();
        },
      ),
    ),
  ];

  function rebind({ entry, deleted }: CacheEvent): void {
    forget(entry.namespace);
    const index = indexes.get(entry.namespace);
    if (deleted) index?.remove(entry.name);
    else index?.put(entry.object());
  }

  function compile(user: Pick<User, 'name' | 'groups'>, namespace: string): Grants {
    let index = indexes.get(namespace);
    if (index === undefined) indexes.set(namespace, (index = indexOf(caches, namespace)));
    const rules: GrantedRule[] = [];
    const problems = new Set<string>();
    for (const key of keysOf(user)) {
      for (const bound of index.of(key)) {
        const found = rulesOfRole(caches, bound.roleRef, namespace);
        if (found === undefined) problems.add(missing(bound.roleRef));
        else rules.push(...granted(found, describeBound(bound, namespace)));
      }
    }
    return grantsOf(rules, [...problems]);
  }

  return {
    grants(user, namespace) {
      for (const ensure of current) ensure();
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
  };
}

/** Lengths keep apart what the texts alone would not. */
function identityOf({ name, groups }: Pick<User, 'name' | 'groups'>): string {
  let identity = `${name.length} ${name}`;
  for (const group of groups) identity += ` ${group.length} ${group}`;
  return identity;
}

function indexOf({ roleBindings, clusterRoleBindings }: RbacCaches, namespace: string): BindingIndex {
  const index = bindingIndex(namespace);
  const cache = namespace === '' ? clusterRoleBindings : roleBindings;
  const entries = cache.latest().entries(namespace === '' ? '' : `${namespace}/`);
  for (const entry of entries) index.put(entry.object());
  return index;
}

/** `namespace`: where a Role is looked for. Undefined when there is no such role. */
export function rulesOfRole(
  { roles, clusterRoles }: RbacCaches,
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
