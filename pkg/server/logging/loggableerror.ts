/** The part of an unexpected error that is logged. */
import { codeOf } from '../../apimachinery/caught.js';

export interface LoggableError {
  readonly name: string;
  /** Of system errors: `ENOSPC`. */
  readonly code?: string;
  /** `at place (file:line:column)`, innermost first. */
  readonly stack: readonly string[];
}

const FRAME = /^at \S.*:\d+:\d+\)?$/;

/** Name and place of `error`. Not its message: it may repeat text of a client, such as a secret. */
export function loggableError(error: unknown): LoggableError {
  if (!(error instanceof Error)) return { name: typeof error, stack: [] };
  const { name, message, stack = '' } = error;
  const code = codeOf(error);
  const messageAt = stack.indexOf(message);
  const frames = stack.slice(messageAt < 0 ? 0 : messageAt + message.length).split('\n');
  return {
    name,
    ...(typeof code === 'string' && { code }),
    stack: frames.map((line) => line.trim()).filter((line) => FRAME.test(line)),
  };
}
