/** The compiled rights of one set of subjects in one scope. */
import type { PolicyRule } from '../../registry/rbac/rules.js';
import type { Decision } from '../interface.js';
import { coversAction, coversPath, type ResourceAction } from './match.js';

/** A rule with the reason why it applies. */
export interface GrantedRule {
  readonly rule: PolicyRule;
  /** `ClusterRoleBinding "b" of ClusterRole "r" to Group "g"`. */
  readonly because: string;
}

type Allowed = Decision & { readonly allowed: true };

/** On which objects an action is allowed. */
export interface ActionGrant {
  /** On every object. */
  readonly all: Allowed | undefined;
  /** On objects of these names. */
  readonly names: ReadonlyMap<string, Allowed>;
}

export interface Grants {
  readonly rules: readonly GrantedRule[];
  /** Bindings that grant nothing because their role is missing, in words. */
  readonly problems: readonly string[];
  action(action: ResourceAction): ActionGrant;
  path(verb: string, path: string): Allowed | undefined;
}

/** Answers kept in each of the two tables; callers choose the words, so there may be any number. */
const KEPT = 1000;

/** Answers are kept: the next question of the same words costs one look-up. */
export function grantsOf(rules: readonly GrantedRule[], problems: readonly string[]): Grants {
  const actions = new Map<string, ActionGrant>();
  const paths = new Map<string, Allowed | undefined>();
  return {
    rules,
    problems,
    action(action) {
      const { verb, group, resource, subresource } = action;
      const key = `${verb.length} ${group.length} ${resource.length} ${verb}${group}${resource}${subresource}`;
      return actions.get(key) ?? keep(actions, key, actionGrant(rules, action));
    },
    path(verb, path) {
      const key = `${verb.length} ${verb}${path}`;
      if (paths.has(key)) return paths.get(key);
      const granted = rules.find(({ rule }) => coversPath(rule, verb, path));
      return keep(paths, key, granted && allowed(granted));
    },
  };
}

function keep<T>(table: Map<string, T>, key: string, answer: T): T {
  if (table.size >= KEPT) table.clear();
  table.set(key, answer);
  return answer;
}

/** The first matching rule gives the reason. Names after a rule for all objects add nothing. */
function actionGrant(rules: readonly GrantedRule[], action: ResourceAction): ActionGrant {
  const names = new Map<string, Allowed>();
  for (const granted of rules) {
    if (!coversAction(granted.rule, action)) continue;
    const only = granted.rule.resourceNames ?? [];
    if (only.length === 0) return { all: allowed(granted), names };
    for (const name of only) if (!names.has(name)) names.set(name, allowed(granted));
  }
  return { all: undefined, names };
}

const allowed = ({ because }: GrantedRule): Allowed => ({
  allowed: true,
  reason: `RBAC: allowed by ${because}`,
});
