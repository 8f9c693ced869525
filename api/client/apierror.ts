import { membersOf } from '../members.js';

/** What the server answers where it refuses: Kubernetes `Status`. */
export interface Status {
  readonly code?: number;
  /** `NotFound`, `Conflict`, `Expired`, … */
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  /** Such as `spec.ttl`. */
  readonly field?: string;
}

/** A request was refused, or a watch ended with an error. Its message is the server's. */
export class ApiError extends Error {
  /** The HTTP status: 404, 409, … */
  readonly code: number;
  readonly reason: string;
  readonly status: Status;
  readonly causes: readonly StatusCause[];

  constructor(code: number, status: Status) {
    // What a server sends need not be what it should be.
    super(textOf(status.message) ?? `the server answered with ${code}`);
    this.name = 'ApiError';
    this.code = typeof status.code === 'number' ? status.code : code;
    this.reason = textOf(status.reason) ?? '';
    this.status = status;
    const causes: unknown = membersOf(status.details).causes;
    this.causes = Array.isArray(causes) ? causes.map(causeOf) : [];
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function causeOf(value: unknown): StatusCause {
  const { reason, message, field } = membersOf(value);
  return {
    ...(typeof reason === 'string' && { reason }),
    ...(typeof message === 'string' && { message }),
    ...(typeof field === 'string' && { field }),
  };
}

/** Of the text of an answer, which need not be a Status: a proxy in between may have written it. */
export function apiErrorOf(code: number, text: string): ApiError {
  try {
    const parsed: (Status & { readonly kind?: string }) | null = JSON.parse(text);
    if (parsed?.kind === 'Status') return new ApiError(code, parsed);
  } catch {
    // Not JSON.
  }
  const shown = text.trim().slice(0, 200);
  return new ApiError(code, { code, message: `the server answered with ${code}${shown && `: ${shown}`}` });
}
