import { join, resolve } from 'node:path';
import { parsePolicy } from '../../../pkg/audit/parsepolicy.js';
import { DEFAULT_POLICY, type Policy } from '../../../pkg/audit/policy.js';
import type { AuditFile } from '../../../pkg/audit/sink.js';
import { parseFlagYaml } from './flagfiles.js';
import type { Options } from './options.js';

/** The policy and the destination of the audit log. */
export interface AuditConfig {
  /** `-`: standard output; undefined: no audit log. */
  readonly path: string | undefined;
  readonly policy: Policy;
  /** Whether a request is refused if it cannot be recorded. */
  readonly strict: boolean;
  readonly maxBytes: number;
  readonly maxBackups: number;
  /** The file at `path`, if another process writes it. */
  readonly file?: AuditFile;
}

const MEGABYTE = 1024 * 1024;

/** `dataDir`: the default directory of the log; undefined: standard output. Throws StartError. */
export function auditOf(options: Options, dataDir: string | undefined): AuditConfig {
  const { auditLogPath, auditPolicyFile } = options;
  return {
    path: pathOf(auditLogPath, dataDir),
    policy: auditPolicyFile === undefined ? DEFAULT_POLICY : policyOf(auditPolicyFile),
    strict: options.auditLogMode === 'blocking-strict',
    maxBytes: options.auditLogMaxsize * MEGABYTE,
    maxBackups: options.auditLogMaxbackup,
  };
}

function pathOf(given: string | undefined, dataDir: string | undefined): string | undefined {
  if (given === undefined) return dataDir === undefined ? '-' : join(dataDir, 'audit', 'audit.log');
  if (given === 'none') return undefined;
  return given === '-' ? given : resolve(given);
}

const policyOf = (path: string): Policy => parseFlagYaml('audit-policy-file', path, parsePolicy);
