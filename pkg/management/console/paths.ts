/** The paths of the console: its pages, and their requests below them. */
export const CONSOLE = '/console';
/** The API for requests with a session; the rest is a path of the API. */
export const CONSOLE_API = '/console/api';
export const CONSOLE_SESSION = '/console/session';
/** Makes a link that logs a browser in. */
export const CONSOLE_LINK = '/console/session/link';
/** What an invitation is, and its acceptance. */
export const CONSOLE_INVITATION = '/console/session/invitation';
/** The start of a login with the identity provider. */
export const CONSOLE_LOGIN = '/console/session/login';
/** Files whose names change with their content. */
export const CONSOLE_ASSETS = '/console/assets/';

/** Whether everybody may ask: the pages and the session, which look at the session themselves. */
export const isConsolePath = (path: string): boolean =>
  path === CONSOLE || (path.startsWith(`${CONSOLE}/`) && !path.startsWith(`${CONSOLE_API}/`));

/**
 * Whether a request is answered from memory: pages, files, and the current session. Browsers send many of them at a
 * time over one connection. A login is none of them.
 */
export const isConsoleRead = (path: string, method: string): boolean =>
  (method === 'GET' || method === 'HEAD') && path !== CONSOLE_LOGIN && isConsolePath(path);
