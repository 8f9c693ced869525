import { isObject, unknownMember } from '../apimachinery/encoding/members.js';
import type { JsonSchema } from '../apimachinery/schema/jsonschema.js';
import { LEVELS, STAGES } from './event.js';
import { POLICY_SCHEMA, RESOURCES_SCHEMA, RULE_SCHEMA } from './policyschema.js';
import type { GroupResources, Policy, PolicyRule } from './policy.js';

/** Checks a parsed policy file. Throws an Error that names the member that is wrong. */
export function parsePolicy(document: unknown): Policy {
  const policy = record(document, 'the policy', POLICY_SCHEMA);
  if (policy.apiVersion !== 'audit.k8s.io/v1' || policy.kind !== 'Policy') {
    throw new Error('it must have apiVersion audit.k8s.io/v1 and kind Policy');
  }
  const rules = list(policy.rules, 'rules').map((rule, at) => ruleOf(rule, `rules[${at}]`));
  if (rules.length === 0) throw new Error('rules: a policy without rules records nothing');
  const omitManagedFields = flag(policy.omitManagedFields, 'omitManagedFields');
  const omitStages = oneOf(policy.omitStages, 'omitStages', STAGES);
  return { rules, omitStages, ...(omitManagedFields !== undefined && { omitManagedFields }) };
}

function ruleOf(given: unknown, path: string): PolicyRule {
  const rule = record(given, path, RULE_SCHEMA);
  const omitManagedFields = flag(rule.omitManagedFields, `${path}.omitManagedFields`);

  const parsed: PolicyRule = {
    level: known(rule.level, `${path}.level`, LEVELS),
    users: texts(rule.users, `${path}.users`),
    userGroups: texts(rule.userGroups, `${path}.userGroups`),
    verbs: texts(rule.verbs, `${path}.verbs`),
    namespaces: texts(rule.namespaces, `${path}.namespaces`),
    nonResourceURLs: texts(rule.nonResourceURLs, `${path}.nonResourceURLs`),
    resources: list(rule.resources, `${path}.resources`).map((one, at) =>
      resourcesOf(one, `${path}.resources[${at}]`),
    ),
    omitStages: oneOf(rule.omitStages, `${path}.omitStages`, STAGES),
    ...(omitManagedFields !== undefined && { omitManagedFields }),
  };
  const aboutResources = (parsed.resources ?? []).length + (parsed.namespaces ?? []).length > 0;
  if (aboutResources && (parsed.nonResourceURLs ?? []).length > 0) {
    throw new Error(`${path}: a rule is about resources or about nonResourceURLs`);
  }
  return parsed;
}

function resourcesOf(given: unknown, path: string): GroupResources {
  const { group = '', resources, resourceNames } = record(given, path, RESOURCES_SCHEMA);
  if (typeof group !== 'string') throw new Error(`${path}.group: it must be text`);
  return {
    group,
    resources: texts(resources, `${path}.resources`),
    resourceNames: texts(resourceNames, `${path}.resourceNames`),
  };
}

function record(value: unknown, path: string, schema: JsonSchema): Record<string, unknown> {
  if (!isObject(value)) throw new Error(`${path}: it must be an object`);
  const stray = unknownMember(value, schema);
  if (stray !== undefined) throw new Error(`${path}: unknown member ${stray}`);
  return value;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new Error(`${path}: it must be a list`);
  return value;
}

function texts(value: unknown, path: string): string[] {
  return list(value, path).map((one) => {
    if (typeof one !== 'string') throw new Error(`${path}: it must be a list of texts`);
    return one;
  });
}

function flag(value: unknown, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new Error(`${path}: it must be true or false`);
  return value;
}

function oneOf<T extends string>(value: unknown, path: string, names: readonly T[]): T[] {
  return list(value, path).map((one) => known(one, path, names));
}

function known<T extends string>(value: unknown, path: string, names: readonly T[]): T {
  const found = names.find((each) => each === value);
  if (found === undefined) throw new Error(`${path}: it must be one of ${names.join(', ')}`);
  return found;
}
