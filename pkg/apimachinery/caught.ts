/**
 * What was caught, which may be anything. Looked at by its members and not by its class: errors of Node's own modules are of
 * another realm where tests run.
 */

/** What an error says; of what is no error its text. */
export function messageOf(error: unknown): string {
  const message = memberOf(error, 'message');
  return typeof message === 'string' ? message : String(error);
}

/** The code of an error of the system or of Node (`ENOENT`); undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  const code = memberOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** What it was caused by. */
export const causeOf = (error: unknown): unknown => memberOf(error, 'cause');

function memberOf(error: unknown, name: 'message' | 'code' | 'cause'): unknown {
  return typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
}
