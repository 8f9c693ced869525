/** The audit of requests. */
import { createAudit, type AuditSettings, type BeginAudit } from '../../../pkg/server/filters/audit.js';
import { leavesOut } from '../../../pkg/server/filters/unauditedrejections.js';
import { isOfItsKind, showsNoSecrets } from '../../../pkg/server/filters/auditsecrets.js';
import type { ResourceStores } from '../../../pkg/server/resources.js';
import type { Operations } from './telemetry.js';

function auditSettingsOf(
  { config, auditSink: sink, auditSampler: sampler, auditShares: shares }: Operations,
  stores: ResourceStores,
): AuditSettings | undefined {
  if (sink === undefined) return undefined;
  const { policy, strict } = config.audit;
  return {
    policy,
    sink,
    sampler,
    shares,
    strict,
    mayShow: showsNoSecrets(stores),
    mayShowSent: isOfItsKind(stores),
  };
}

export function auditOfRequests(operations: Operations, stores: ResourceStores): BeginAudit {
  const settings = auditSettingsOf(operations, stores);
  return settings === undefined ? () => undefined : createAudit(settings);
}

/** Whether the audit log has no line of a request; it is called once. */
export function leftOutOfAudit(operations: Operations, stores: ResourceStores): ReturnType<typeof leavesOut> {
  const settings = auditSettingsOf(operations, stores);
  return settings === undefined ? () => true : leavesOut(settings);
}
