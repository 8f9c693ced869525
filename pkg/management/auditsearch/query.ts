/** Queries of the audit log and their results, implemented by `pkg/audit/search/searcher.ts`. */
import type { AuditSearch } from '../../../api/management.svc.example/v1/auditsearch.js';

type Spec = NonNullable<AuditSearch['spec']>;

/** The filters of the spec; absent and empty ones match everything. Times in ms since 1970. */
export interface AuditQuery extends Omit<Spec, 'after' | 'before' | 'limit' | 'continue'> {
  readonly after: number | undefined;
  /** Exclusive. */
  readonly before: number | undefined;
  readonly limit: number;
  /** The position at which an earlier search ended; `''`: the newest event. */
  readonly from: string;
}

export type AuditAnswer = NonNullable<AuditSearch['status']>;
