/** `meta/v1 Status`, the form of every failure for clients. The table of reasons is closed. */

import { clip } from './fielderror.js';

/**
 * HTTP status code of each reason.
 * @public
 */
export const CODE_OF_REASON = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type StatusReason = keyof typeof CODE_OF_REASON;

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** `meta/v1 Status`, members in the order in which Kubernetes prints them. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code?: number;
}

/** Thrown by any stage of a request; the server writes `status`. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  /** Headers of the response. */
  headers: Record<string, string> = {};
  constructor(
    readonly status: Status,
    options?: ErrorOptions,
  ) {
    super(status.message, options);
  }
  get code(): number {
    return this.status.code ?? 500;
  }
}

/** The maximum length of a message, which may repeat a Kind of 3 MB. */
const LONGEST_MESSAGE = 512 * 1024;

/**
 * Creates a StatusError, with the header `Retry-After` if `details.retryAfterSeconds` is set, like
 * `responsewriters.ErrorNegotiated`.
 */
export function failure(
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
  code: number = CODE_OF_REASON[reason],
): StatusError {
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: clip(message, LONGEST_MESSAGE),
    reason,
  };
  if (details !== undefined) status.details = details;
  status.code = code;
  const error = new StatusError(status);
  const seconds = details?.retryAfterSeconds ?? 0;
  if (seconds > 0) error.headers['Retry-After'] = String(seconds);
  return error;
}
