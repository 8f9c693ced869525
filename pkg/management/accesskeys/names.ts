import { LOGIN_KEYS } from '../loginkeys.js';

/** Annotation of a disabled OwnedAccessKey: the name of the user who disabled it. Only the server writes it. */
export const DISABLED_BY_ANNOTATION = 'management.svc.example/disabled-by';

/** The member of `extra` of a user with the name of the access key. */
export const ACCESS_KEY = 'management.svc.example/access-key';
/** The member of `extra` with the name of the user who made the key of a project. */
export const ACCESS_KEY_MADE_BY = 'management.svc.example/access-key-made-by';

/** Annotation of a key of a project: the name of the user who made it. Only the server writes it. */
export const MADE_BY_ANNOTATION = 'management.svc.example/made-by';

/** The prefix of names of keys that workloads got for their tokens. */
export const WORKLOAD_KEYS = 'workload-';
/** The prefix of names of keys of browser sessions. */
export const CONSOLE_KEYS = 'console-';

/** Prefixes that mark keys that the server made. Clients cannot create keys with such names. */
export const RESERVED_KEY_PREFIXES: readonly string[] = [WORKLOAD_KEYS, CONSOLE_KEYS, LOGIN_KEYS];
