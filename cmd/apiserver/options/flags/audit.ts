import { wholeNumber } from '../../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { auditMode, text } from './values.js';

/** Options of the audit log. */
export const AUDIT_FLAGS = {
  auditLogPath: define({
    name: 'audit-log-path',
    value: '<file>',
    description:
      'File of the audit log, one JSON event a line. -: standard output, none: no audit log. A server that cannot open it does not start. (default: audit/audit.log in --data-dir; - in aggregated mode)',
    parse: text,
  }),
  auditPolicyFile: define({
    name: 'audit-policy-file',
    value: '<file>',
    description:
      'File with an audit.k8s.io/v1 Policy. If not set, every request but probes and discovery is recorded at level Metadata when it ends.',
    parse: text,
  }),
  auditLogMode: defaulted({
    name: 'audit-log-mode',
    value: '<mode>',
    description:
      'batch: events are buffered for at most a quarter of a second, and requests continue if they cannot be written. blocking-strict: the RequestReceived event is written before the request is served, and the request fails with 500 if that fails.',
    fallback: 'batch',
    parse: auditMode,
  }),
  auditLogMaxsize: defaulted({
    name: 'audit-log-maxsize',
    value: '<megabytes>',
    description: 'Maximum size of the audit log in megabytes before it is rotated. 0: no rotation.',
    fallback: '100',
    parse: wholeNumber(0, 1_000_000),
  }),
  auditLogMaxbackup: defaulted({
    name: 'audit-log-maxbackup',
    value: '<count>',
    description: 'Maximum number of rotated audit logs to retain. 0: all.',
    fallback: '10',
    parse: wholeNumber(0, 1_000_000),
  }),
} as const;
