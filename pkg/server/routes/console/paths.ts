/** Where the console is: its pages, and below them what they ask for. */
export const CONSOLE = '/console';
/** The API, for requests with a session: what follows is the path as everybody has it. */
export const CONSOLE_API = '/console/api';
export const CONSOLE_SESSION = '/console/session';
/** Where a login with the identity provider begins. */
export const CONSOLE_LOGIN = '/console/session/login';
/** Files whose names change with their content. */
export const CONSOLE_ASSETS = '/console/assets/';

/** Whether everybody may ask: the pages and the session, which look at the session themselves. */
export const isConsolePath = (path: string): boolean =>
  path === CONSOLE || (path.startsWith(`${CONSOLE}/`) && !path.startsWith(`${CONSOLE_API}/`));

/**
 * Answered from memory: pages, files, and who is logged in. Browsers ask for many at a time, over one connection. Logging in
 * is none of these.
 */
export const isConsoleRead = (path: string, method: string): boolean =>
  (method === 'GET' || method === 'HEAD') && path !== CONSOLE_LOGIN && isConsolePath(path);
