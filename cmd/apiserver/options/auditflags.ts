import { wholeNumber } from '../../../pkg/apimachinery/flagvalues.js';
import { defaulted, define } from './flag.js';
import { auditMode, text } from './flagvalues.js';

/** Options of the record of requests. */
export const AUDIT_FLAGS = {
  auditLogPath: define({
    name: 'audit-log-path',
    value: '<file>',
    description:
      'Record who did what here, a line of JSON for each request; - for standard output, none for nothing. (default: audit/audit.log in --data-dir; - in aggregated mode)',
    parse: text,
  }),
  auditPolicyFile: define({
    name: 'audit-policy-file',
    value: '<file>',
    description:
      'What is recorded, an audit.k8s.io/v1 Policy; without it, Metadata of all but probes and discovery.',
    parse: text,
  }),
  auditLogMode: defaulted({
    name: 'audit-log-mode',
    value: '<mode>',
    description:
      'batch: lines are written a moment later; blocking-strict: before the request goes on, which fails when they cannot be.',
    fallback: 'batch',
    parse: auditMode,
  }),
  auditLogMaxsize: defaulted({
    name: 'audit-log-maxsize',
    value: '<megabytes>',
    description: 'Put the audit log aside when it is so large; 0: never.',
    fallback: '100',
    parse: wholeNumber(0, 1_000_000),
  }),
  auditLogMaxbackup: defaulted({
    name: 'audit-log-maxbackup',
    value: '<count>',
    description: 'Keep so many audit logs that were put aside; 0: all.',
    fallback: '10',
    parse: wholeNumber(0, 1_000_000),
  }),
  auditLogMaxage: defaulted({
    name: 'audit-log-maxage',
    value: '<days>',
    description: 'Keep audit logs that were put aside for so long; 0: for ever.',
    fallback: '0',
    parse: wholeNumber(0, 36_500),
  }),
} as const;
