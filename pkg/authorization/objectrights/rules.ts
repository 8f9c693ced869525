/** Rights on objects as rules of a SelfSubjectRulesReview. */
import { resourcesOf } from '../../management/access/accessroles.js';
import type { User } from '../../authentication/interface.js';
import type { ResourceRule } from '../../registry/virtualresource.js';
import { keysOf } from '../rbac/subjects.js';
import { isSubject } from './decide.js';
import type { KindIndex } from './kindindex.js';

/** One rule for all objects of a namespace on which the user has the same right. Cluster-scoped objects are in every one. */
export function resourceRules(index: KindIndex, user: User, namespace: string): ResourceRule[] {
  const { definition } = index;
  const rules = new Map<string, Omit<ResourceRule, 'resourceNames'> & { resourceNames: Set<string> }>();
  for (const key of keysOf(user)) {
    const found = index.naming(key).get(definition.namespaced ? namespace : '');
    for (const [name, rights] of found ?? []) {
      for (const right of rights) {
        if (!isSubject(right, user)) continue;
        const { verbs } = right;
        const resources = resourcesOf(definition, right);
        const same = JSON.stringify([verbs, resources]);
        const rule = rules.get(same) ?? {
          ...{ verbs, apiGroups: [definition.group], resources },
          resourceNames: new Set<string>(),
        };
        rules.set(same, rule);
        rule.resourceNames.add(name);
      }
    }
  }
  return [...rules.values()].map((rule) => ({ ...rule, resourceNames: [...rule.resourceNames] }));
}
