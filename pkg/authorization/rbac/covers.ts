/** Whether rules hold all that others grant (`k8s.io/component-helpers/auth/rbac/validation.Covers`). */
import { quote } from '../../apimachinery/errors.js';
import type { PolicyRule } from '../../registry/rbac/rules.js';
import { pathMatches } from './match.js';

const ALL = '*';

/** A rule of more parts than this counts as missing unless one rule covers all of it: parts multiply. */
const MOST_PARTS = 10_000;

/** Of `wanted` the parts that `held` does not cover: verb by verb, resource by resource, name by name. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const whole = wanted.filter((rule) => !held.some((one) => coversRule(one, rule)));
  return whole.flatMap((rule) => {
    if (partsOf(rule) > MOST_PARTS) return [rule];
    return [...parts(rule)].filter((part) => !held.some((one) => coversRule(one, part)));
  });
}

function partsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const names = Math.max(1, resourceNames?.length ?? 0);
  const objects = (apiGroups?.length ?? 0) * (resources?.length ?? 0) * names;
  return verbs.length * (objects + (nonResourceURLs?.length ?? 0));
}

function* parts(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) yield part;
        for (const name of resourceNames) yield { ...part, resourceNames: [name] };
      }
    }
  }
  for (const url of nonResourceURLs)
    for (const verb of verbs) yield { verbs: [verb], nonResourceURLs: [url] };
}

function coversRule(held: PolicyRule, wanted: PolicyRule): boolean {
  return (
    coversAll(held.verbs, wanted.verbs) &&
    coversAll(held.apiGroups, wanted.apiGroups) &&
    (wanted.resources ?? []).every((resource) => coversResource(held.resources ?? [], resource)) &&
    (wanted.nonResourceURLs ?? []).every((url) =>
      held.nonResourceURLs?.some((one) => pathMatches(one, url)),
    ) &&
    coversNames(held.resourceNames ?? [], wanted.resourceNames ?? [])
  );
}

function coversAll(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return held.includes(ALL) || wanted.every((one) => held.includes(one));
}

function coversResource(held: readonly string[], wanted: string): boolean {
  if (held.includes(ALL) || held.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && held.includes(`*${wanted.slice(slash)}`);
}

/** No names stand for all. */
function coversNames(held: readonly string[], wanted: readonly string[]): boolean {
  if (held.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => held.includes(name));
}

/** One line for each rule, as Kubernetes prints them; rules that differ in their verbs alone are joined. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  return [...new Set(compact(rules).map(describeRule))].sort();
}

function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = JSON.stringify(rule.nonResourceURLs === undefined ? rest : rule);
    const before = joined.get(key)?.verbs ?? [];
    joined.set(key, { ...rule, verbs: [...new Set([...before, ...verbs])] });
  }
  return [...joined.values()];
}

function describeRule(rule: PolicyRule): string {
  const members = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  const shown = members.flatMap(([name, values = []]) =>
    values.length === 0 ? [] : [`${name}:${quoteList(values)}`],
  );
  return `{${shown.join(', ')}}`;
}

/** As Go's `%q` prints a slice. */
export const quoteList = (texts: readonly string[]): string => `[${texts.map(quote).join(' ')}]`;
