/** The console over HTTP: its files, the session, and the login with an identity provider. */
import type { Express, Request, Response } from 'express';
import { pathNotFound, readable } from '../../server/routes/routes.js';
import { splitUrl } from '../../server/requestinfo.js';
import { ASSET_CACHE, PAGE_CACHE, sendFile, type StaticFile } from '../../server/routes/staticfile.js';
import type { ConsoleFiles } from './files.js';
import { CONSOLE_HEADERS } from './headers.js';
import { routeInvitations, type InvitationRoutes } from './invitationroutes.js';
import { CONSOLE, CONSOLE_API, CONSOLE_ASSETS } from './paths.js';
import type { ConsoleSessions } from './sessions.js';
import { routeSession } from './sessionroutes.js';

export interface ConsoleRoutes extends InvitationRoutes {
  readonly files: ConsoleFiles;
  readonly sessions: ConsoleSessions;
  /** Whether the documentation is served. */
  readonly docs: boolean;
  /** Undefined: the host in the address of the browser. */
  readonly serverName: string | undefined;
}

/** `console` absent: the paths are not served. */
export function routeConsole(app: Express, console: ConsoleRoutes | undefined): void {
  if (console === undefined) return;
  const { files, sessions, flow, docs, serverName } = console;
  routeInvitations(app, console);
  routeSession(app, sessions, { providerLogin: flow !== undefined, docs, serverName });
  readable(app, CONSOLE, (request, response) => {
    // The router takes `/console/` for the same path.
    if (splitUrl(request.url).path !== CONSOLE) return send(request, response, files.page(), PAGE_CACHE);
    response
      .writeHead(308, { ...CONSOLE_HEADERS, Location: `${CONSOLE}/`, 'Cache-Control': PAGE_CACHE })
      .end();
  });
  readable(app, `${CONSOLE}/{*path}`, (request, response) => {
    const { path } = splitUrl(request.url);
    const file = files.find(path.slice(CONSOLE.length + 1));
    if (path.startsWith(CONSOLE_ASSETS))
      return file === undefined ? notThere(response) : send(request, response, file, ASSET_CACHE);
    if (path.startsWith(`${CONSOLE_API}/`)) return notThere(response);
    return send(request, response, file ?? files.page(), PAGE_CACHE);
  });
}

const send = (request: Request, response: Response, file: StaticFile, cache: string): Promise<void> =>
  sendFile(request, response, file, { ...CONSOLE_HEADERS, 'Cache-Control': cache });

function notThere(response: Response): void {
  for (const [name, value] of Object.entries(CONSOLE_HEADERS)) response.setHeader(name, value);
  pathNotFound(response);
}
