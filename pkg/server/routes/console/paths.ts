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

/** Answered from memory, to everybody alike. */
export const isConsoleAsset = (path: string): boolean => path.startsWith(CONSOLE_ASSETS);
