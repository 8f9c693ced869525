/**
 * Access to caught values, which may be anything. They are examined by their members, not by class: in tests, errors
 * of Node's modules are of another realm.
 */

/** The message of an error; other values as text. */
export function messageOf(error: unknown): string {
  const message = memberOf(error, 'message');
  return typeof message === 'string' ? message : String(error);
}

/** The code of a system or Node error (`ENOENT`); undefined if there is none. */
export function codeOf(error: unknown): string | undefined {
  const code = memberOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** The cause of an error. */
export const causeOf = (error: unknown): unknown => memberOf(error, 'cause');

function memberOf(error: unknown, name: 'message' | 'code' | 'cause'): unknown {
  return typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
}
