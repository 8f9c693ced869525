/** Who may do something by roles and bindings. */
import { slices } from '../../apimachinery/eventloop/slices.js';
import type { RoleRef, Subject } from '../../registry/rbac/bindings.js';
import type { PolicyRule } from '../../registry/rbac/rules.js';
import type { ResourceAttributes } from '../../authorization/interface.js';
import type { RbacAuthorizer } from '../../authorization/rbac/authorizer.js';
import { coversAction, has } from '../../authorization/rbac/match.js';
import { GROUP, keyOf, USER } from '../../authorization/rbac/subjects.js';
import { groupStep, userStep, type RightsSource, type Step, type Way } from '../subjectlocator.js';

/**
 * By RoleBindings first. Where a role may not be read, its bindings are told whether or not it grants the right, so that
 * the answer does not say what is in it.
 */
export async function* subjectsByRoles(
  rbac: Pick<RbacAuthorizer, 'boundByRole' | 'roleRules'>,
  asked: ResourceAttributes,
  readable: ReadonlySet<RightsSource>,
  until: number,
): AsyncGenerator<Way> {
  const pause = slices();
  for (const namespace of new Set([asked.namespace, ''])) {
    if (!readable.has(namespace === '' ? 'clusterrolebindings' : 'rolebindings')) continue;
    for (const bound of rbac.boundByRole(namespace)) {
      await pause();
      if (performance.now() > until) return;
      const role = roleStep(bound[0].roleRef, namespace);
      const uncertain = !readable.has(role.kind === 'Role' ? 'roles' : 'clusterroles');
      const rules = uncertain ? [] : (rbac.roleRules(role, namespace) ?? []);
      const verbs = rules.flatMap((rule) => (covers(rule, asked) ? rule.verbs : []));
      if (verbs.length === 0 && !uncertain) continue;
      const last = uncertain ? role : { ...role, verbs: [...new Set(verbs)] };
      for (const { name, subject } of bound) {
        const steps = [subjectStep(subject, namespace), bindingStep(name, namespace), last];
        yield { steps, ...(uncertain && { uncertain }) };
      }
    }
  }
}

const bindingStep = (name: string, namespace: string): Step =>
  namespace === '' ? { kind: 'ClusterRoleBinding', name } : { kind: 'RoleBinding', namespace, name };

const roleStep = ({ kind, name }: RoleRef, namespace: string): Step =>
  kind === 'Role' ? { kind, namespace, name } : { kind: 'ClusterRole', name };

const covers = (rule: PolicyRule, asked: ResourceAttributes): boolean =>
  coversAction(rule, asked) && (!rule.resourceNames?.length || has(rule.resourceNames, asked.name));

function subjectStep(subject: Subject, namespace: string): Step {
  const key = keyOf(subject, namespace) ?? '';
  return key.startsWith(GROUP) ? groupStep(key.slice(GROUP.length)) : userStep(key.slice(USER.length));
}
