import type { Registry } from 'prom-client';
import type { AuditSink } from '../../audit/sink.js';
import { exposeCounts } from './series.js';

/** The counts of the audit log. */
export type AuditCounts = Pick<AuditSink, 'taken' | 'lost'> & {
  /** By what was left out. */
  leftOut(): Readonly<Record<string, number>>;
};

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
    'Events that the audit log left out: of strangers (anonymous) and refused callers (users) who sent too many, and reads and changes of users whose share was used up.',
    () => Object.entries(audit.leftOut()).map(([caller, value]) => ({ labels: { caller }, value })),
  );
}
