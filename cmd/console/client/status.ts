/** Errors of the server (`meta/v1 Status`). */
import { isMembers } from './edits/members.js';
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  /** Such as `spec.ttl`. */
  readonly field?: string;
}

interface Status {
  readonly kind: 'Status';
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: { readonly causes?: readonly StatusCause[]; readonly retryAfterSeconds?: number };
}

/** Reasons that this browser reports: there was no response (`code` 0), or the response is no Status. */
export const OFFLINE = 'Offline';
export const UNREADABLE = 'Unreadable';

/** An error of the server, or no response (`code` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
    readonly causes: readonly StatusCause[] = [],
  ) {
    super(message);
  }
}

export function errorOf(code: number, body: unknown): ApiError {
  const status: Partial<Status> = isMembers(body) ? body : {};
  if (status.kind === 'Status')
    return new ApiError(code, status.reason ?? '', status.message ?? '', once(status.details?.causes));
  return new ApiError(code, UNREADABLE, '');
}

/** Removes duplicates: several checks may report the same about a field. */
const once = (causes: readonly StatusCause[] = []): StatusCause[] =>
  causes.filter(
    ({ field, message }, at) =>
      causes.findIndex((other) => other.field === field && other.message === message) === at,
  );

/** The server's messages about one field, and fields below it. */
export function causesOf(error: unknown, field: string): string[] {
  if (!(error instanceof ApiError)) return [];
  return error.causes
    .filter(({ field: at = '' }) => at === field || at.startsWith(`${field}.`) || at.startsWith(`${field}[`))
    .map(({ message = '' }) => message);
}
