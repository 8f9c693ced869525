import type { User } from '../../apimachinery/user.js';
import { evaluatePolicyRule } from '../../audit/policy.js';
import type { RequestInfo } from '../requestinfo.js';
import type { AuditSettings } from './audit.js';
import { objectOf } from './audit.js';

/**
 * Whether a request that is turned away has no line in the audit log, as its caller has had enough of them, or the policy asks for
 * none. Ask once: what is left out is counted.
 */
export function leavesOut({
  policy,
  sampler,
  strict,
}: AuditSettings): (info: RequestInfo, user: User) => boolean {
  return (info, user) => {
    const { path, verb } = info;
    const { level, omitStages } = evaluatePolicyRule(policy, { user, verb, path, object: objectOf(info) });
    if (level === 'None') return true;
    return !strict && omitStages.includes('RequestReceived') && !sampler.takes(user.name);
  };
}
