/**
 * One option of the server. `parse` converts text from any source (flag, environment, file), and throws an
 * Error that names the valid values.
 */
export interface Flag<T> {
  /** Without dashes: `secure-port`. */
  readonly name: string;
  /** The placeholder of the value in help: `<port>`; in brackets if the flag alone means `true`. */
  readonly value: string;
  readonly description: string;
  /** The default as text; absent: there is none. */
  readonly fallback?: string;
  readonly parse: (text: string) => T;
}

/** A flag that always has a value. */
export interface FlagWithDefault<T> extends Flag<T> {
  readonly fallback: string;
}

export const define = <T>(flag: Flag<T>): Flag<T> => flag;
export const defaulted = <T>(flag: FlagWithDefault<T>): FlagWithDefault<T> => flag;

/** The prefix of options in the environment: `MANAGEMENT_APISERVER_SECURE_PORT`. */
export const ENVIRONMENT_PREFIX = 'MANAGEMENT_APISERVER_';
