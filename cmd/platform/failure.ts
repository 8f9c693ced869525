/** Exit codes of `platform`, for scripts: 0, or one of these. */
export const EXIT = {
  failed: 1,
  usage: 2,
  unauthenticated: 3,
  forbidden: 4,
  notFound: 5,
  conflict: 6,
} as const;

export type ExitReason = keyof typeof EXIT;

interface FailureOptions extends ErrorOptions {
  /** What to do, if `said` has the cause alone. */
  readonly advice?: string | undefined;
}

/** Why a command ended. The message is one line for the user and says what to do; it holds no secret. */
export class Failure extends Error {
  readonly advice: string | undefined;

  constructor(
    readonly reason: ExitReason,
    readonly said: string,
    { advice, ...options }: FailureOptions = {},
  ) {
    super(advice === undefined ? said : `${said}; ${advice}`, options);
    this.advice = advice;
  }
}

/** `platform` adds which help explains it. */
export const usage = (message: string): Failure => new Failure('usage', message);

/** The exit code of anything that was thrown. */
export const exitCodeOf = (error: unknown): number =>
  EXIT[error instanceof Failure ? error.reason : 'failed'];

/** One line of anything that was thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, ' ');
}
