/** Whether a rule of a role covers a request (`k8s.io/kubernetes/pkg/apis/rbac/v1`: evaluation helpers). */
import type { PolicyRule } from '../../registry/rbac/rules.js';

const ALL = '*';

/** What is asked of a resource, without the name of an object. */
export interface ResourceAction {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** `''` for the object itself. */
  readonly subresource: string;
}

const listed = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes(ALL) || values.includes(value));

/** `pods/log` is covered by `*`, `pods/log` and any resource with `/log`, never by `pods`. */
export function coversAction(
  rule: PolicyRule,
  { verb, group, resource, subresource }: ResourceAction,
): boolean {
  if (!listed(rule.verbs, verb) || !listed(rule.apiGroups, group)) return false;
  if (subresource === '') return listed(rule.resources, resource);
  return (
    listed(rule.resources, `${resource}/${subresource}`) ||
    rule.resources?.includes(`*/${subresource}`) === true
  );
}

/** `*`, the path itself, or the beginning of it before a `*` at the end. */
export function coversPath(rule: PolicyRule, verb: string, path: string): boolean {
  if (!listed(rule.verbs, verb)) return false;
  return (rule.nonResourceURLs ?? []).some((url) => pathMatches(url, path));
}

export function pathMatches(url: string, path: string): boolean {
  if (url === ALL || url === path) return true;
  return url.endsWith(ALL) && path.startsWith(url.replace(/\*+$/, ''));
}
