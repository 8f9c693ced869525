/** Fills aggregated ClusterRoles (`k8s.io/kubernetes/pkg/controller/clusterroleaggregation`). */
import { clusterScoped } from '../../../api/resource.js';
import { structuredLabelSelector } from '../../apimachinery/selectors/structured.js';
import { ignoring } from '../ignorederrors.js';
import {
  resourceOf,
  type CachedObject,
  type Controller,
  type ControllerContext,
  type ResourceClient,
} from '../interface.js';
import { targetOf } from '../target.js';
import { ClusterRole } from '../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';

/**
 * Gives each ClusterRole with an `aggregationRule` the rules of the roles that its selectors match. `isLeftOut`: whether
 * roles of this name are not aggregated.
 */
export const clusterRoleAggregationController = (isLeftOut: (name: string) => boolean): Controller => ({
  name: 'clusterrole-aggregation-controller',
  user: 'clusterrole-aggregation-controller',
  workers: 4,
  start(context) {
    const roles = resourceOf(context.client, ClusterRole);
    followRoles(context, roles);
    return {
      async reconcile(name) {
        const role = roles.cached(clusterScoped(name))?.object();
        if (role?.aggregationRule === undefined) return;
        const rules = collected(roles, role, isLeftOut);
        if (sameRules(role.rules ?? [], rules)) return;
        await ignoring(
          [404],
          roles.update(targetOf(role), (copy) => ({ ...copy, rules })),
        );
      },
    };
  },
});

/** Any role may be aggregated by others. */
function followRoles({ follow, enqueue }: ControllerContext, roles: ResourceClient<ClusterRole>): void {
  const collecting = new Set<string>();
  const note = (role: CachedObject<ClusterRole>): void => {
    if (role.object().aggregationRule === undefined) collecting.delete(role.name);
    else collecting.add(role.name);
  };
  const enqueueAll = (): void => {
    for (const name of collecting) enqueue(name);
  };
  follow(roles, {
    replaced() {
      collecting.clear();
      for (const role of roles.list('')) note(role);
      enqueueAll();
    },
    changed(role) {
      note(role);
      enqueueAll();
    },
    deleted({ name }) {
      collecting.delete(name);
      enqueueAll();
    },
  });
}

/** In the order of selectors, then of names; each rule once. */
function collected(
  roles: ResourceClient<ClusterRole>,
  { metadata, aggregationRule }: ClusterRole,
  isLeftOut: (name: string) => boolean,
): object[] {
  const rules = new Map<string, object>();
  for (const described of aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = structuredLabelSelector(described);
    for (const cached of roles.list('')) {
      const role = cached.object();
      if (cached.name === metadata.name || isLeftOut(cached.name)) continue;
      if (!selector.matches(role.metadata.labels)) continue;
      for (const rule of role.rules ?? []) rules.set(JSON.stringify(rule), rule);
    }
  }
  return structuredClone([...rules.values()]);
}

/** Rules come from stored objects, whose members have a fixed order. */
const sameRules = (a: readonly object[], b: readonly object[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
