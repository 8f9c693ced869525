/** Where people log in: open to everyone, where a login is configured. */
export const LOGIN_PATHS = '/auth/';
export const LOGIN = '/auth/login';
export const LOGIN_CALLBACK = '/auth/callback';
/** For devices: where they begin; below it, the page for the person. */
export const LOGIN_DEVICE = '/auth/device';
/** Where tokens of workloads are exchanged. */
export const WORKLOAD_TOKEN = '/auth/workload/token';
/** Where the page goes that asks whether a program may log in. */
export const LOGIN_CONFIRM = '/auth/confirm';
