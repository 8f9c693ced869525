/** Restores the RoleBindings of rules, which others may have changed or removed. */
import { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { RoleBinding } from '../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import { clusterScoped } from '../../../api/resource.js';
import { resourceOf, type CachedObject } from '../../controllers/interface.js';
import type { ManagementController } from '../controllercontext.js';
import { projectOfNamespace } from '../projects/names.js';
import { IN_FLIGHT_MS } from '../sharing/controller/orphanedroles.js';
import { ruleOfBinding } from './binding.js';

export const groupRuleController: ManagementController<'projectNamespacePrefix'> = {
  name: 'group-rule-controller',
  user: 'group-rule-controller',
  workers: 1,
  start({ client, follow, enqueue, projectNamespacePrefix: prefix }) {
    const rules = resourceOf(client, GroupRule);
    const bindings = resourceOf(client, RoleBinding);
    const afterMs = bindings.foreign === true ? IN_FLIGHT_MS : 0;
    const ofBinding = ({ name }: CachedObject): void => {
      const rule = ruleOfBinding(name);
      if (rule !== undefined) enqueue(rule, afterMs);
    };
    follow(rules, {
      replaced() {
        for (const { name } of rules.list('')) enqueue(name);
      },
      changed: () => undefined,
      deleted: () => undefined,
    });
    follow(bindings, { replaced: () => undefined, changed: ofBinding, deleted: ofBinding });
    const ofProject = (project: string | undefined): void => {
      if (project === undefined) return;
      for (const rule of rules.list(''))
        if (rule.object().spec.project === project) enqueue(rule.name, afterMs);
    };
    const created = (nameOf: (name: string) => string | undefined): Parameters<typeof follow>[1] => ({
      replaced: () => undefined,
      changed: ({ name }, previous) => ofProject(previous === undefined ? nameOf(name) : undefined),
      deleted: () => undefined,
    });
    follow(
      resourceOf(client, Namespace),
      created((name) => projectOfNamespace(prefix, name)),
    );
    follow(
      resourceOf(client, Project),
      created((name) => name),
    );
    return {
      async reconcile(name) {
        if (rules.cached(clusterScoped(name)) !== undefined) await rules.repair(clusterScoped(name));
      },
    };
  },
};
