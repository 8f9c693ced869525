/** Queries of the audit log and their results, implemented by `pkg/audit/search/searcher.ts`. */
import type { RecordedEvent } from '../../audit/search/filter.js';
import type { AuditSearch } from '../../../api/management.svc.example/v1/auditsearch.js';

/** What `spec.about` names. */
export type About = Spec['about'];

type Spec = NonNullable<AuditSearch['spec']>;

/** The filters of the spec; absent and empty ones match everything. Times in ms since 1970. */
export interface AuditQuery extends Omit<Spec, 'about' | 'after' | 'before' | 'limit' | 'continue'> {
  /** Undefined: any event. */
  readonly accepts: ((event: RecordedEvent) => boolean) | undefined;
  readonly after: number | undefined;
  /** Exclusive. */
  readonly before: number | undefined;
  readonly limit: number;
  /** The position at which an earlier search ended; `''`: the newest event. */
  readonly from: string;
}

export type AuditAnswer = NonNullable<AuditSearch['status']>;
