/** GroupRuleTargets: ties a rule to its team or project, which must exist, so that it ends with them. */
import { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { asKind, type OwnerReference } from '../../../api/resource.js';
import { fieldInvalid, invalid, quote } from '../../apimachinery/errors.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';

const GROUP = 'management.svc.example';
const API_VERSION = `${GROUP}/v1`;

/** The uid of a Team or Project that is not being deleted. */
export type FindTarget = (kind: 'Team' | 'Project', name: string) => string | undefined;

export function groupRuleTargets(find: FindTarget): AdmissionPlugin {
  return {
    name: 'GroupRuleTargets',
    concerns: kindsOf(GROUP, 'GroupRule'),
    async mutate({ definition, name, operation }, object, previous) {
      const rule = asKind(GroupRule, object);
      const { team = '', project = '' } = rule.spec ?? {};
      const [kind, target] = team === '' ? (['Project', project] as const) : (['Team', team] as const);
      // Its absence is refused by the validation.
      if (target === '') return;
      const uid = operation === 'CREATE' ? find(kind, target) : uidIn(asKind(GroupRule, previous), kind);
      if (uid === undefined && operation === 'CREATE') {
        const why = `there is no ${kind} ${quote(target)}: create it first`;
        throw invalid(definition, name, [fieldInvalid(`spec.${kind.toLowerCase()}`, target, why)]);
      }
      const others = (rule.metadata.ownerReferences ?? []).filter((one) => !isTarget(one));
      const own = uid === undefined ? [] : [{ apiVersion: API_VERSION, kind, name: target, uid }];
      rule.metadata.ownerReferences = [...own, ...others];
    },
  };
}

const isTarget = ({ apiVersion, kind }: OwnerReference): boolean =>
  apiVersion === API_VERSION && (kind === 'Team' || kind === 'Project');

const uidIn = (rule: GroupRule | undefined, kind: string): string | undefined =>
  rule?.metadata.ownerReferences?.find((one) => isTarget(one) && one.kind === kind)?.uid;
