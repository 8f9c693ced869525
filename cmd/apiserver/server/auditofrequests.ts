/** The audit of requests. */
import { createAudit, type BeginAudit } from '../../../pkg/server/filters/audit.js';
import { leavesOut, type LeavesOut } from '../../../pkg/server/filters/unauditedrejections.js';
import { isOfItsKind, showsNoSecrets } from '../../../pkg/server/filters/auditsecrets.js';
import type { ResourceStores } from '../../../pkg/server/resources.js';
import type { Operations } from './telemetry.js';

export function auditOfRequests(operations: Operations, stores: ResourceStores): BeginAudit {
  const { config, auditSink: sink, auditSampler: sampler, auditShares: shares } = operations;
  if (sink === undefined) return () => undefined;
  const { policy, strict } = config.audit;
  const [mayShow, mayShowSent] = [showsNoSecrets(stores), isOfItsKind(stores)];
  return createAudit({ policy, sink, sampler, shares, strict, mayShow, mayShowSent });
}

/** Whether the audit log has no line of a request; it is called once. */
export function leftOutOfAudit({ config, auditSink, auditSampler: sampler }: Operations): LeavesOut {
  if (auditSink === undefined) return () => true;
  const { policy, strict } = config.audit;
  return leavesOut({ policy, sampler, strict });
}
