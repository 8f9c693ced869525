/** `/console/session`: login with a credential, the current session, logout. JSON for the app alone. */
import type { Express, Request } from 'express';
import { badRequest, failure, methodNotAllowed } from '../../apimachinery/errors.js';
import { LoginFailure } from '../login/interface.js';
import { isCsrfToken } from '../login/session.js';
import { credentialsOf } from '../../server/filters/credentials.js';
import { SERVER_VERSION } from '../../server/version.js';
import { exchangeOf } from '../../server/routes/routes.js';
import { checkSite, membersIn, sendJson } from './sessionrequest.js';
import { CONSOLE_LINK, CONSOLE_SESSION } from './paths.js';
import { CSRF_HEADER, FORGET_SESSION, keepSession, sessionCookie } from './sessioncookie.js';
import type { ConsoleSessions, LiveSession } from './sessions.js';

/** The session, for the app. */
interface SessionAnswer {
  readonly user: string;
  /** Name of the Login key. */
  readonly accessKey: string;
  /** Name of the access key that was logged in with; absent: it was none. */
  readonly originKey?: string;
  readonly csrfToken: string;
  /** RFC 3339. */
  readonly expires: string;
}

/** What else the app must know before a login. */
export interface Around {
  readonly providerLogin: boolean;
  readonly docs: boolean;
  /** Of `--server-name`. */
  readonly serverName: string | undefined;
}

export function routeSession(app: Express, sessions: ConsoleSessions, around: Around): void {
  const logins = { ...around, tokenLogin: sessions.tokenLogin, version: SERVER_VERSION };
  app.get(CONSOLE_SESSION, async (request, response) => {
    checkSite(request);
    const live = await sessions.live(sessionCookie(request.headers));
    if (live === undefined) return sendJson(response, 200, { user: null, ...logins });
    sendJson(response, 200, { ...answerOf(live), ...logins });
  });
  app.post(CONSOLE_SESSION, async (request, response) => {
    checkSite(request);
    const { source } = credentialsOf(exchangeOf(request));
    const { accessKey, link } = await loginIn(request);
    const shown = await (link === undefined ? sessions.check(accessKey, source) : sessions.checkLink(link));
    if ('refused' in shown) throw failure('Unauthorized', shown.refused);
    const before = await sessions.live(sessionCookie(request.headers));
    const { session, cookie, lifeSeconds } = await sessions.begin(shown).catch(refuse);
    // A new login ends the previous session.
    if (before !== undefined) await sessions.end(before.session);
    response.setHeader('Set-Cookie', keepSession(cookie, lifeSeconds));
    const live = { session, user: shown.user, expires: session.expires };
    sendJson(response, 201, { ...answerOf(live), ...logins });
  });
  app.delete(CONSOLE_SESSION, async (request, response) => {
    checkSite(request);
    const live = await sessions.live(sessionCookie(request.headers));
    const token = request.headers[CSRF_HEADER];
    if (live !== undefined && !isCsrfToken(live.session, typeof token === 'string' ? token : ''))
      throw failure('Forbidden', 'the CSRF token is not that of this session');
    if (live !== undefined) await sessions.end(live.session);
    response.setHeader('Set-Cookie', FORGET_SESSION);
    sendJson(response, 200, { user: null, ...logins });
  });
  app.post(CONSOLE_LINK, async (request, response) => {
    checkSite(request);
    const { source, authorization = '' } = credentialsOf(exchangeOf(request));
    const made = await sessions.makeLink(authorization.replace(/^Bearer +/i, ''), source);
    if ('refused' in made) throw failure('Unauthorized', made.refused);
    sendJson(response, 201, made);
  });
  for (const path of [CONSOLE_SESSION, CONSOLE_LINK])
    app.all(path, () => {
      throw methodNotAllowed();
    });
}

/** Throws StatusError 403 where a login is not possible, such as of a user with too many access keys. */
function refuse(error: unknown): never {
  throw error instanceof LoginFailure ? failure('Forbidden', error.message) : error;
}

const answerOf = ({ session, user, expires }: LiveSession): SessionAnswer => ({
  user,
  accessKey: session.name,
  ...(session.origin && { originKey: session.origin.name }),
  csrfToken: session.csrf,
  expires: new Date(expires).toISOString(),
});

/** Throws StatusError 400, 415. */
async function loginIn(request: Request): Promise<{ readonly accessKey: string; readonly link?: string }> {
  const { accessKey, link } = await membersIn(request);
  if (typeof link === 'string' && link !== '') return { accessKey: '', link };
  if (typeof accessKey === 'string' && accessKey !== '') return { accessKey };
  throw badRequest('accessKey: must be the access key to log in with');
}
