/** Whether a rule of a role covers a request (`k8s.io/kubernetes/pkg/apis/rbac/v1`: evaluation helpers). */
import type { PolicyRule } from '../../registry/rbac/rules.js';

const ALL = '*';

/** A verb on a resource, without the name of an object. */
export interface ResourceAction {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** `''` for the object itself. */
  readonly subresource: string;
}

/** Longer lists are looked up in a set, which is kept with the list. */
const LONG = 16;
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether the list of a rule has a value. Rules are never changed. */
export function has(values: readonly string[], value: string): boolean {
  if (values.length <= LONG) return values.includes(value);
  let set = sets.get(values);
  if (set === undefined) sets.set(values, (set = new Set(values)));
  return set.has(value);
}

const listed = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (has(values, ALL) || has(values, value));

/** `pods/log` is covered by `*`, `pods/log` and any resource with `/log`, never by `pods`. */
export function coversAction(
  rule: PolicyRule,
  { verb, group, resource, subresource }: ResourceAction,
): boolean {
  if (!listed(rule.verbs, verb) || !listed(rule.apiGroups, group)) return false;
  if (subresource === '') return listed(rule.resources, resource);
  return (
    listed(rule.resources, `${resource}/${subresource}`) ||
    (rule.resources !== undefined && has(rule.resources, `*/${subresource}`))
  );
}

/** `*`, the path itself, or the beginning of it before a `*` at the end. */
export function coversPath(rule: PolicyRule, verb: string, path: string): boolean {
  if (!listed(rule.verbs, verb)) return false;
  return (rule.nonResourceURLs ?? []).some((url) => pathMatches(url, path));
}

export function pathMatches(url: string, path: string): boolean {
  if (url === ALL || url === path) return true;
  return url.endsWith(ALL) && path.startsWith(withoutStars(url));
}

/**
 * Strips trailing stars without a regular expression, as a pattern anchored at the end would start again at every
 * star.
 */
function withoutStars(url: string): string {
  let end = url.length;
  while (url[end - 1] === ALL) end--;
  return url.slice(0, end);
}
