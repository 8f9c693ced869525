import type { Registry } from 'prom-client';
import type { Sampler } from '../../audit/sampling.js';
import type { AuditSink } from '../../audit/sink.js';
import { exposeCounts } from './requestseries.js';

/** The counts of the audit log. */
export type AuditCounts = Pick<AuditSink, 'taken' | 'lost'> & Pick<Sampler, 'leftOut'>;

export function exposeAudit(registry: Registry, audit: AuditCounts): void {
  exposeCounts(registry, 'apiserver_audit_event_total', 'Lines for the audit log.', () => [
    { labels: {}, value: audit.taken() },
  ]);
  exposeCounts(registry, 'apiserver_audit_error_total', 'Lines that the audit log had to give up.', () => [
    { labels: { plugin: 'log' }, value: audit.lost() },
  ]);
  exposeCounts(
    registry,
    'management_apiserver_audit_requests_left_out_total',
    'Requests without a line in the audit log, as strangers or refused callers sent too many.',
    () => Object.entries(audit.leftOut()).map(([caller, value]) => ({ labels: { caller }, value })),
  );
}
