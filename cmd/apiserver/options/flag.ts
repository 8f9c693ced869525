/**
 * One option of the server. `parse` turns text from any source (flag, environment, file) into its value, and throws an
 * Error that says what is valid.
 */
export interface Flag<T> {
  /** Without dashes: `secure-port`. */
  readonly name: string;
  /** What help calls the value: `<port>`; in brackets where the flag alone means `true`. */
  readonly value: string;
  readonly description: string;
  /** As text; absent: the option is empty unless given. */
  readonly fallback?: string;
  readonly parse: (text: string) => T;
}

/** A flag that always has a value. */
export interface FlagWithDefault<T> extends Flag<T> {
  readonly fallback: string;
}

export const define = <T>(flag: Flag<T>): Flag<T> => flag;
export const defaulted = <T>(flag: FlagWithDefault<T>): FlagWithDefault<T> => flag;

/** What the environment calls options: `MANAGEMENT_APISERVER_SECURE_PORT`. */
export const ENVIRONMENT_PREFIX = 'MANAGEMENT_APISERVER_';
