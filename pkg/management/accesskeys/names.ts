/** Annotation of a disabled OwnedAccessKey: the name of the user who disabled it. Only the server writes it. */
export const DISABLED_BY_ANNOTATION = 'management.svc.example/disabled-by';

/** The prefix of names of keys that workloads got for their tokens. */
export const WORKLOAD_KEYS = 'workload-';
/** The prefix of names of keys of browser sessions. */
export const CONSOLE_KEYS = 'console-';
/** The prefix of names of keys that people got at a login. */
export const LOGIN_KEYS = 'login-';

/** Prefixes that mark keys that the server made. Clients cannot create keys with such names. */
export const RESERVED_KEY_PREFIXES: readonly string[] = [WORKLOAD_KEYS, CONSOLE_KEYS, LOGIN_KEYS];
