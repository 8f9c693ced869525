import { hostname } from 'node:os';
import { auditLogFile } from '../../../pkg/audit/logfile.js';
import { auditSearcher, type SearchAudit } from '../../../pkg/audit/search/searcher.js';
import { BatchedSink, type AuditFile, type AuditSink } from '../../../pkg/audit/sink.js';
import type { AuditConfig } from '../options/audit.js';

/** Undefined without an audit log. */
export function openAuditSink(config: AuditConfig, report: (error: unknown) => void): AuditSink | undefined {
  const file = config.path === undefined ? undefined : (config.file ?? openAuditFile(config));
  return file && new BatchedSink(file, { report });
}

/** Undefined without an audit log. */
export function openAuditFile({ path, ...limits }: AuditConfig): AuditFile | undefined {
  if (path === undefined) return undefined;
  return path === '-' ? standardOutput() : auditLogFile({ path, ...limits });
}

/** Searches the files that this server, or the process that started it, writes. */
export const openAuditSearch = (
  { path }: Pick<AuditConfig, 'path'>,
  sink: AuditSink | undefined,
): SearchAudit => auditSearcher({ path, sink, server: hostname() });

function standardOutput(): AuditFile {
  return {
    append: (text) =>
      new Promise((done, failed) => {
        process.stdout.write(text, (error) => (error ? failed(error) : done()));
      }),
    close: () => Promise.resolve(),
  };
}
