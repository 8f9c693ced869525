/** The paths of logins: without authentication, if a login is configured. */
export const LOGIN_PATHS = '/auth/';
export const LOGIN = '/auth/login';
export const LOGIN_CALLBACK = '/auth/callback';
/** The start of device logins; below it, the page for the person. */
export const LOGIN_DEVICE = '/auth/device';
/** Where the provider announces logouts. */
export const BACKCHANNEL_LOGOUT = '/auth/backchannel-logout';
/** The path of workload token exchange. */
export const WORKLOAD_TOKEN = '/auth/workload/token';
/** The target of the consent page's form. */
export const LOGIN_CONFIRM = '/auth/confirm';
