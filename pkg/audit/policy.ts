/** Which requests are recorded, and how much of each (`audit.k8s.io/v1 Policy`: the first rule that fits decides). */
import type { Level, Stage } from './event.js';

export interface PolicyRule {
  readonly level: Level;
  /** Absent or empty, here and below: any. */
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  /** `''`: what lies in none. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly Stage[];
  /** Absent: as the policy says. */
  readonly omitManagedFields?: boolean;
}

export interface GroupResources {
  readonly group?: string;
  /** `pods`, `pods/log`, all subresources of one, a subresource of all, or `*`. */
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages?: readonly Stage[];
  /** Whether recorded objects are without `metadata.managedFields`. */
  readonly omitManagedFields?: boolean;
}

/** What a rule may ask of a request. */
export interface Audited {
  /** Absent where nobody proved who it was. */
  readonly user: { readonly name: string; readonly groups: readonly string[] } | undefined;
  readonly verb: string;
  readonly path: string;
  /** Absent for paths that are no resources. */
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

export interface Verdict {
  readonly level: Level;
  readonly omitted: readonly Stage[];
  readonly omitManagedFields: boolean;
}

const PROBES = ['/healthz*', '/livez*', '/readyz*', '/version', '/metrics', '/api*', '/apis*', '/openapi*'];

/** Without a policy of the operator's: who did what, once for each request; nothing of probes and discovery. */
export const DEFAULT_POLICY: Policy = {
  rules: [{ level: 'None', nonResourceURLs: PROBES, verbs: ['get'] }, { level: 'Metadata' }],
  omitStages: ['RequestReceived'],
};

/** What no rule speaks of is not recorded. */
export function verdict(policy: Policy, audited: Audited): Verdict {
  const { rules, omitStages = [], omitManagedFields = false } = policy;
  for (const rule of rules) {
    if (!fits(rule, audited)) continue;
    const own = rule.omitStages ?? [];
    return {
      level: rule.level,
      omitted: own.length === 0 ? omitStages : [...omitStages, ...own],
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    };
  }
  return { level: 'None', omitted: omitStages, omitManagedFields };
}

const isOpen = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0;
const allows = (list: readonly string[] | undefined, value: string): boolean =>
  isOpen(list) || list?.includes(value) === true;

function fits(rule: PolicyRule, { user, verb, path, object }: Audited): boolean {
  if (!allows(rule.users, user?.name ?? '') || !allows(rule.verbs, verb)) return false;
  if (!isOpen(rule.userGroups) && user?.groups.some((group) => rule.userGroups?.includes(group)) !== true) {
    return false;
  }
  const aboutResources = !isOpen(rule.resources) || !isOpen(rule.namespaces);
  if (object === undefined) {
    return isOpen(rule.nonResourceURLs) ? !aboutResources : fitsPath(rule.nonResourceURLs ?? [], path);
  }
  if (!aboutResources) return isOpen(rule.nonResourceURLs);
  return (
    allows(rule.namespaces, object.namespace) &&
    (isOpen(rule.resources) || rule.resources?.some((one) => fitsResource(one, object)) === true)
  );
}

function fitsPath(urls: readonly string[], path: string): boolean {
  return urls.some((url) => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))));
}

function fitsResource(
  { group = '', resources, resourceNames }: GroupResources,
  object: NonNullable<Audited['object']>,
): boolean {
  if (group !== object.apiGroup) return false;
  const { resource, subresource } = object;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const patterns = [full, '*', ...(subresource === '' ? [] : [`${resource}/*`, `*/${subresource}`])];
  if (!isOpen(resources) && !patterns.some((pattern) => resources?.includes(pattern))) return false;
  return allows(resourceNames, object.name);
}
