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
    super(status.message ?? `the server answered with ${code}`);
    this.name = 'ApiError';
    // What a server sends need not be what it should be.
    this.code = typeof status.code === 'number' ? status.code : code;
    this.reason = status.reason ?? '';
    this.status = status;
    this.causes = status.details?.causes ?? [];
  }
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

/** The members of a JSON object; of any other value none. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isMembers(value) ? value : {};

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
