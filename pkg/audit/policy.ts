/** Chooses the audit level of a request (`audit.k8s.io/v1 Policy`: the first rule that matches decides). */
import type { User } from '../apimachinery/user.js';
import type { Level, Stage } from './event.js';

export interface PolicyRule {
  readonly level: Level;
  /** Absent or empty, here and below: any. */
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  /** `''`: cluster-scoped objects. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly Stage[];
  /** Absent: the `omitManagedFields` of the policy. */
  readonly omitManagedFields?: boolean;
}

export interface GroupResources {
  readonly group?: string;
  /** A resource, one of its subresources, all of its subresources, one subresource of every resource, or `*`. */
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages?: readonly Stage[];
  /** Whether recorded objects are without `metadata.managedFields`. */
  readonly omitManagedFields?: boolean;
}

/** The attributes of a request that rules select by. */
export interface AuditAttributes {
  /** Absent for requests that failed authentication. */
  readonly user: Pick<User, 'name' | 'groups'> | undefined;
  readonly verb: string;
  readonly path: string;
  /** Absent for non-resource requests. */
  readonly object:
    | {
        readonly apiGroup: string;
        readonly resource: string;
        readonly subresource: string;
        readonly namespace: string;
        readonly name: string;
      }
    | undefined;
}

/** The audit settings of a request (`k8s.io/apiserver/pkg/audit.RequestAuditConfig`). */
export interface RequestAuditConfig {
  readonly level: Level;
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

const PROBES = ['/healthz*', '/livez*', '/readyz*', '/version', '/metrics', '/api*', '/apis*', '/openapi*'];

/** Without --audit-policy-file: one event at level Metadata for each request, none for probes and discovery. */
export const DEFAULT_POLICY: Policy = {
  rules: [{ level: 'None', nonResourceURLs: PROBES, verbs: ['get'] }, { level: 'Metadata' }],
  omitStages: ['RequestReceived'],
};

/** The first rule that matches decides. A request that no rule matches is not recorded (`policyRuleEvaluator.EvaluatePolicyRule`). */
export function evaluatePolicyRule(policy: Policy, attributes: AuditAttributes): RequestAuditConfig {
  const { rules, omitStages = [], omitManagedFields = false } = policy;
  for (const rule of rules) {
    if (!ruleMatches(rule, attributes)) continue;
    const own = rule.omitStages ?? [];
    return {
      level: rule.level,
      omitStages: own.length === 0 ? omitStages : [...omitStages, ...own],
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    };
  }
  return { level: 'None', omitStages, omitManagedFields };
}

const isOpen = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;
const allows = (list: readonly string[] | undefined, value: string): boolean =>
  isOpen(list) || list?.includes(value) === true;

function ruleMatches(rule: PolicyRule, { user, verb, path, object }: AuditAttributes): boolean {
  if (!allows(rule.users, user?.name ?? '') || !allows(rule.verbs, verb)) return false;
  if (!isOpen(rule.userGroups) && user?.groups.some((group) => rule.userGroups?.includes(group)) !== true) {
    return false;
  }
  const aboutResources = !isOpen(rule.resources) || !isOpen(rule.namespaces);
  if (object === undefined) {
    return isOpen(rule.nonResourceURLs) ? !aboutResources : pathMatches(rule.nonResourceURLs ?? [], path);
  }
  if (!aboutResources) return isOpen(rule.nonResourceURLs);
  return (
    allows(rule.namespaces, object.namespace) &&
    (isOpen(rule.resources) || rule.resources?.some((one) => resourceMatches(one, object)) === true)
  );
}

function pathMatches(urls: readonly string[], path: string): boolean {
  return urls.some((url) => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))));
}

function resourceMatches(
  { group = '', resources, resourceNames }: GroupResources,
  object: NonNullable<AuditAttributes['object']>,
): boolean {
  if (group !== object.apiGroup) return false;
  const { resource, subresource } = object;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const patterns = [full, '*', ...(subresource === '' ? [] : [`${resource}/*`, `*/${subresource}`])];
  if (!isOpen(resources) && !patterns.some((pattern) => resources?.includes(pattern))) return false;
  return allows(resourceNames, object.name);
}
