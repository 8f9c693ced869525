/** GroupRuleTargets: ties a rule to its team or project, which must exist, so that it ends with them. A rule without that gives nothing. */
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
      const found = find(kind, target);
      if (found === undefined && operation === 'CREATE') {
        const why = `there is no ${kind} ${quote(target)}: create it first`;
        throw invalid(definition, name, [fieldInvalid(`spec.${kind.toLowerCase()}`, target, why)]);
      }
      const before = operation === 'CREATE' ? found : uidIn(asKind(GroupRule, previous), kind);
      const sent = rule.metadata.ownerReferences ?? [];
      // A reference to a target that has gone may be dropped, and is never replaced.
      const isKept = found === before || sent.some((one) => isTarget(one) && one.uid === before);
      const own =
        before === undefined || !isKept ? [] : [{ apiVersion: API_VERSION, kind, name: target, uid: before }];
      rule.metadata.ownerReferences = [...own, ...sent.filter((one) => !isTarget(one))];
    },
  };
}

const isTarget = ({ apiVersion, kind }: OwnerReference): boolean =>
  apiVersion === API_VERSION && (kind === 'Team' || kind === 'Project');

const uidIn = (rule: GroupRule | undefined, kind: string): string | undefined =>
  rule?.metadata.ownerReferences?.find((one) => isTarget(one) && one.kind === kind)?.uid;
