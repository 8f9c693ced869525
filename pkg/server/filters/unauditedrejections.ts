import type { User } from '../../apimachinery/user.js';
import { evaluatePolicyRule } from '../../audit/policy.js';
import type { RequestInfo } from '../requestinfo.js';
import { objectOf, type AuditSettings } from './audit.js';

/** Whether the audit log has no line of a rejected request. */
export type LeavesOut = (info: RequestInfo, user: User) => boolean;

/**
 * Whether a rejected request has no audit line, as its caller has reached the limit, or as the policy records none.
 * Call it once: omitted lines are counted.
 */
export function leavesOut({
  policy,
  sampler,
  strict,
}: Pick<AuditSettings, 'policy' | 'sampler' | 'strict'>): LeavesOut {
  return (info, user) => {
    const { path, verb } = info;
    const { level, omitStages } = evaluatePolicyRule(policy, { user, verb, path, object: objectOf(info) });
    if (level === 'None') return true;
    return !strict && omitStages.includes('RequestReceived') && !sampler.allows(user.name);
  };
}
