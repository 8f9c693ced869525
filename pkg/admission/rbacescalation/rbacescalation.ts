/**
 * RBACEscalation: users cannot grant rights by a role or a binding that they lack
 * (`k8s.io/kubernetes/pkg/registry/rbac`), unless they have the verb `escalate` on the role, or `bind` on the role
 * that a binding names. An update is only checked for what it adds.
 */
import type { KubeObject } from '../../../api/resource.js';
import { forbidden, notFound, quote } from '../../apimachinery/errors.js';
import type { User } from '../../authentication/interface.js';
import { PRIVILEGED_GROUP } from '../../authentication/groups.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { RbacAuthorizer } from '../../authorization/rbac/authorizer.js';
import { describeRules, quoteList, uncovered } from '../../authorization/rbac/covers.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { sameJson } from '../../registry/object/metadata.js';
import { roleRefOf, subjectsOf } from '../../registry/rbac/bindings.js';
import { rulesOf, type PolicyRule } from '../../registry/rbac/rules.js';
import { kindsOf, type AdmissionPlugin } from '../chain.js';

const GROUP = 'rbac.authorization.k8s.io';

/** The rules that an aggregated ClusterRole may get. */
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export function rbacEscalation(
  authorizer: Pick<Authorizer, 'authorize'>,
  rbac: Pick<RbacAuthorizer, 'policyRules' | 'roleRules'>,
): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    concerns: kindsOf(GROUP),
    async validate(attributes, object, previous) {
      const { definition, requester } = attributes;
      if (object === undefined) return;
      if (requester.groups.includes(PRIVILEGED_GROUP)) return;
      if (definition.kind.endsWith('Binding')) await checkBinding(attributes, object, previous);
      else await checkRole(attributes, object, previous);
    },
  };

  async function checkRole(
    attributes: AdmissionAttributes,
    role: KubeObject,
    previous: KubeObject | undefined,
  ): Promise<void> {
    const { definition, namespace, name, requester } = attributes;
    const before = previous === undefined || mayBeCollectedAnew(role, previous) ? [] : rulesOf(previous);
    const held = rbac.policyRules(requester, namespace);
    const aggregates = role.aggregationRule !== undefined || previous?.aggregationRule !== undefined;
    const missing = await uncovered([...held, ...before], rulesOf(role));
    const mayNotAggregate =
      aggregates &&
      !sameJson(grantsOf(role), grantsOf(previous)) &&
      (await uncovered(held, EVERYTHING)).length > 0;
    if (missing.length === 0 && !mayNotAggregate) return;
    const resource = definition.plural;
    if (await may(authorizer, requester, { verb: 'escalate', resource, namespace, name })) return;
    if (mayNotAggregate) {
      throw forbidden(definition, name, 'must have cluster-admin privileges to use an aggregationRule');
    }
    throw escalation(attributes, missing);
  }

  async function checkBinding(
    attributes: AdmissionAttributes,
    binding: KubeObject,
    previous: KubeObject | undefined,
  ): Promise<void> {
    const { definition, namespace, requester } = attributes;
    if (previous !== undefined && addsNobody(binding, previous)) return;
    const ref = roleRefOf(binding);
    const resource = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
    if (await may(authorizer, requester, { verb: 'bind', resource, namespace, name: ref.name })) return;
    const rules = rbac.roleRules(ref, namespace);
    if (rules === undefined) throw notFound(definition, ref.name);
    const missing = await uncovered(rbac.policyRules(requester, namespace), rules);
    if (missing.length > 0) throw escalation(attributes, missing);
  }
}

/** A verb on a role. */
interface OnRole {
  readonly verb: 'escalate' | 'bind';
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

async function may(authorizer: Pick<Authorizer, 'authorize'>, user: User, onRole: OnRole): Promise<boolean> {
  const asked = { kind: 'resource', group: GROUP, version: '*', subresource: '', ...onRole } as const;
  return (await authorizer.authorize(user, asked)).allowed;
}

const grantsOf = (role: KubeObject | undefined): object => ({
  rules: role === undefined ? [] : rulesOf(role),
  aggregation: role?.aggregationRule ?? null,
});

/** Aggregated roles select roles by labels, so a new label can grant all rules of a ClusterRole. */
const mayBeCollectedAnew = (role: KubeObject, previous: KubeObject): boolean =>
  role.kind === 'ClusterRole' && !sameJson(role.metadata.labels ?? {}, previous.metadata.labels ?? {});

/** Only subjects are compared, as roleRef is immutable. */
function addsNobody(binding: KubeObject, previous: KubeObject): boolean {
  const before = subjectsOf(previous);
  return subjectsOf(binding).every((subject) => before.some((one) => sameJson(one, subject)));
}

function escalation(
  { definition, name, requester }: AdmissionAttributes,
  missing: readonly PolicyRule[],
): Error {
  const who = `user ${quote(requester.name)} (groups=${quoteList(requester.groups)})`;
  const lines = describeRules(missing).join('\n');
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines}`;
  return forbidden(definition, name, text);
}
