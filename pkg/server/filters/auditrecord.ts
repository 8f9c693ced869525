import type { JsonValue } from '../../../api/resource.js';
import type { Status } from '../../apimachinery/errors.js';
import type { User } from '../../apimachinery/user.js';
import type { Decision } from '../../authorization/interface.js';

/** What the audit log gets to know of a request, stage by stage. */
export interface AuditRecord {
  /** Nothing to wait for, unless the record must be kept: rejects with StatusError 500 when it cannot be. */
  received(): Promise<void> | undefined;
  /** `constraint`: the verb of a constrained mode that permitted it. */
  impersonated(user: User, constraint: string | undefined): void;
  decided(decision: Decision): void;
  /** Sets the name of a created object. */
  named(name: string): void;
  /** A list is refused that would have had only what the caller may see, which is nothing. */
  seesNone(): void;
  /** The answer has nothing of its objects but cells of tables and metadata, and no values of secrets. */
  withoutValues(): void;
  /** Adds an annotation, and records the request. Nothing secret. */
  annotated(name: string, value: string): void;
  /** Sets the body in JSON if it was sent in another format. */
  sent(value: JsonValue): void;
  failed(status: Status): void;
  /** A long-running response has begun. */
  started(code: number): void;
  completed(code: number): void;
}
