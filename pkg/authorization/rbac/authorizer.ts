import type { User } from '../../authentication/interface.js';
import type { RoleRef } from '../../registry/rbac/bindings.js';
import type { PolicyRule } from '../../registry/rbac/rules.js';
import type { Attributes, Authorizer, Decision, KindAttributes, Rules, Visible } from '../interface.js';
import type { ActionGrant } from './grants.js';
import type { Bound } from './bindingindex.js';
import { Policy, rulesOfRole, type RightsChange } from './policy.js';
import type { RbacCaches } from './caches.js';

const DENIED: Decision = { allowed: false, reason: '' };
const EVERYWHERE = '';

/** Authorizes by Roles and ClusterRoles and their bindings (`rbac.authorization.k8s.io/v1`). */
export interface RbacAuthorizer extends Authorizer {
  authorize(user: User, attributes: Attributes): Decision;
  /** The subjects of bindings that match the user in exactly this scope (`''`: the cluster). */
  bound(user: User, namespace: string): Iterable<Bound>;
  /** As {@link Policy.boundByRole}. */
  boundByRole(namespace: string): ReturnType<Policy['boundByRole']>;
  /** As {@link Policy.onChange}. */
  onChange(this: void, listener: (change: RightsChange) => void): void;
  rulesFor(user: User, namespace: string): Rules;
  /** The rules that hold for the user in a namespace, as roles have them. */
  policyRules(user: User, namespace: string): readonly PolicyRule[];
  /** The rules of a role; `namespace` is that of a Role. Undefined if the role does not exist. */
  roleRules(role: Pick<RoleRef, 'kind' | 'name'>, namespace: string): readonly PolicyRule[] | undefined;
}

/**
 * Decides from the caches, without waiting. Compiled rules make repeated requests cheap. Throws `CacheUnavailable`
 * before the caches are loaded.
 */
export function rbacAuthorizer(caches: RbacCaches): RbacAuthorizer {
  const policy = new Policy(caches);
  /** Of the cluster, then of the namespace. */
  const scopes = (namespace: string): readonly string[] =>
    namespace === EVERYWHERE ? [EVERYWHERE] : [EVERYWHERE, namespace];
  const granted = (user: User, namespace: string) =>
    scopes(namespace).flatMap((scope) => policy.grants(user, scope).rules);

  function visible(user: User, attributes: KindAttributes): Visible {
    const grants = scopes(attributes.namespace).map((scope) => policy.grants(user, scope).action(attributes));
    if (grants.some(({ all }) => all !== undefined)) return { objects: 'all' };
    const names = new Set(grants.flatMap((grant) => [...grant.names.keys()]));
    return names.size > 0 ? { objects: 'names', names } : { objects: 'none' };
  }

  return {
    authorize(user, attributes) {
      if (attributes.kind === 'path') {
        const grants = policy.grants(user, EVERYWHERE);
        return grants.path(attributes.verb, attributes.path) ?? denied(grants.problems);
      }
      const { namespace, name } = attributes;
      const cluster = policy.grants(user, EVERYWHERE);
      const decision = onObject(cluster.action(attributes), name);
      if (decision !== undefined) return decision;
      if (namespace === EVERYWHERE) return denied(cluster.problems);
      const local = policy.grants(user, namespace);
      return onObject(local.action(attributes), name) ?? denied([...cluster.problems, ...local.problems]);
    },
    visible,
    namespaces: (user) => policy.namespaces(user),
    boundByRole: (namespace) => policy.boundByRole(namespace),
    bound: (user, namespace) => policy.bound(user, namespace),
    onChange: (listener) => policy.onChange(listener),
    roleRules: (role, namespace) => rulesOfRole(caches, role, namespace),
    policyRules: (user, namespace) => granted(user, namespace).map(({ rule }) => rule),
    rulesFor: (user, namespace) => rulesToTell(granted(user, namespace).map(({ rule }) => rule)),
  };
}

const onObject = ({ all, names }: ActionGrant, name: string): Decision | undefined => names.get(name) ?? all;

/** A binding whose role is missing may be why. */
function denied(problems: readonly string[]): Decision {
  if (problems.length === 0) return DENIED;
  const distinct = [...new Set(problems)];
  const text = distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`;
  return { allowed: false, reason: `RBAC: ${text}` };
}

function rulesToTell(rules: readonly PolicyRule[]): Rules {
  return {
    resourceRules: rules
      .filter(({ resources = [] }) => resources.length > 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => {
        return { verbs, apiGroups, resources, resourceNames };
      }),
    nonResourceRules: rules
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  };
}
