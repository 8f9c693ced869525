/** What is asked of the audit log, and what it answers. `pkg/audit/search/searcher.ts` answers it. */
import type { AuditSearch } from '../../api/management.svc.example/v1/auditsearch.js';

type Spec = NonNullable<AuditSearch['spec']>;

/** The filters of the spec, of which absent and empty ones are for any. Times in ms since 1970. */
export interface AuditQuery extends Omit<Spec, 'after' | 'before' | 'limit' | 'continue'> {
  readonly after: number | undefined;
  /** Exclusive. */
  readonly before: number | undefined;
  readonly limit: number;
  /** Where an earlier search ended; `''`: at the newest event. */
  readonly from: string;
}

export type AuditAnswer = NonNullable<AuditSearch['status']>;
