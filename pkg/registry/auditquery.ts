/** What is asked of the audit log, and what it answers. `pkg/audit/search/searcher.ts` answers it. */
import type { AuditSearch } from '../../api/management.svc.example/v1/auditsearch.js';

/** Absent and empty filters: any. Times in ms since 1970. */
export interface AuditQuery {
  readonly user?: string;
  readonly verb?: string;
  /** `resource` or `resource/subresource`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** `403` or `4xx`. */
  readonly code?: string;
  readonly sourceIP?: string;
  readonly auditID?: string;
  readonly after: number | undefined;
  /** Exclusive. */
  readonly before: number | undefined;
  readonly limit: number;
  /** Where an earlier search ended; `''`: at the newest event. */
  readonly from: string;
}

export type AuditAnswer = NonNullable<AuditSearch['status']>;
