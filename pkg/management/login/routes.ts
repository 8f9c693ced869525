/** Logins over HTTP: pages for people, JSON (as in OAuth) for programs. */
import type { Express, Request, Response } from 'express';
import { methodNotAllowed } from '../../apimachinery/errors.js';
import { parseForm } from '../../apimachinery/options/query.js';
import { waitingProgram, type Beginning, type LoginFlow } from './flow.js';
import type { LoginKey } from './accesskey.js';
import { LoginFailure } from './interface.js';
import {
  consentHeaders,
  consentPage,
  deviceDecidedPage,
  failurePage,
  keyPage,
  notAcceptedPage,
  PAGE_HEADERS,
} from './pages.js';
import { splitUrl } from '../../server/requestinfo.js';
import { annotateAcceptance } from './acceptanceaudit.js';
import { CONSOLE, CONSOLE_LOGIN } from '../console/paths.js';
import { keepSession } from '../console/sessioncookie.js';
import type { ConsoleSessions } from '../console/sessions.js';
import type { BackChannelLogout } from './backchannel/backchannellogout.js';
import {
  BACKCHANNEL_LOGOUT,
  LOGIN,
  LOGIN_CALLBACK,
  LOGIN_CONFIRM,
  LOGIN_DEVICE,
  LOGIN_PATHS,
} from './paths.js';
import { isForm, routeEndpoint, textOf, oauthErrorOf, tokenAnswer, type Endpoint } from './oauth.js';
import { exchangeOf, readable } from '../../server/routes/routes.js';

export interface LoginRoutes {
  readonly flow: LoginFlow;
  readonly logout: BackChannelLogout;
  /** The URL of this server for people. */
  readonly url: () => string;
  /** Called with unexpected errors, and if the provider cannot be reached. */
  readonly failed: (error: unknown) => void;
  /** Opens sessions of the console; absent: it is not served. */
  readonly console?: Pick<ConsoleSessions, 'beginWith'> | undefined;
}

/** Its prefix makes browsers keep it for this host alone, over TLS. */
const COOKIE = '__Host-login';
const COOKIE_RULES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
/** Of a page whose form comes back to this server. */
const FORM_RULES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const FORGET = `${COOKIE}=; Max-Age=0; ${COOKIE_RULES}`;
const KEPT_SECONDS = 600;
const UNAVAILABLE = 'Logging in does not work now. Try again later.';

/** `login` absent: the paths are not served. */
export function routeLogin(app: Express, login: LoginRoutes | undefined): void {
  if (login === undefined) return;
  routeDocuments(app, login);
  routeForm(app, login);
  // Last: a link of a device may have any name.
  routePages(app, login);
}

type Serve = (request: Request, response: Response) => Promise<void>;

/** Failures become pages. */
function shown({ failed }: LoginRoutes, serve: Serve): Serve {
  return async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      const failure = oauthErrorOf(error, { failed, unavailable: UNAVAILABLE });
      sendPage(response, failure.code, failurePage(failure.message, LOGIN));
    }
  };
}

async function begin(flow: LoginFlow, response: Response, asks: Beginning | undefined): Promise<void> {
  const { location, cookie } = await flow.begin(asks);
  redirect(response, location, keepAttempt(cookie));
}

/** The cookie of a login that has begun. */
export const keepAttempt = (cookie: string): string =>
  `${COOKIE}=${cookie}; Max-Age=${KEPT_SECONDS}; ${COOKIE_RULES}`;

/** The browser gets a session of the console. */
function openConsole(response: Response, console: NonNullable<LoginRoutes['console']>, key: LoginKey): void {
  const { cookie, lifeSeconds } = console.beginWith(key, key.expiresInSeconds);
  redirect(response, `${CONSOLE}/`, [FORGET, keepSession(cookie, lifeSeconds)], 303);
}

/** The pages for browsers. */
function routePages(app: Express, login: LoginRoutes): void {
  const { flow, url, console } = login;
  const page = (path: string, serve: Serve): void => readable(app, path, shown(login, serve));
  page(LOGIN, async (request, response) => {
    const program = waitingProgram(parseForm(queryOf(request)));
    await begin(flow, response, program && { program });
  });
  page(LOGIN_CALLBACK, async (request, response) => {
    const done = await flow.finish(queryOf(request), cookieOf(request));
    if ('consent' in done) {
      const { consent } = done;
      response.setHeader('Set-Cookie', `${COOKIE}=${consent.cookie}; Max-Age=${KEPT_SECONDS}; ${FORM_RULES}`);
      return sendPage(response, 200, consentPage(consent, LOGIN_CONFIRM, url()), consentHeaders(consent));
    }
    if (done.console && console !== undefined) return openConsole(response, console, done.key);
    response.setHeader('Set-Cookie', FORGET);
    sendPage(response, 200, keyPage(done.key, url()));
  });
  if (console !== undefined)
    page(CONSOLE_LOGIN, (_request, response) => begin(flow, response, { console: true }));
  page(`${LOGIN_DEVICE}/:link`, async (request, response) => {
    const code = parseForm(queryOf(request)).get('user_code') ?? undefined;
    const device = flow.deviceOf(String(request.params.link), code);
    await begin(flow, response, { device });
  });
}

/** The form of the page that asks for consent. */
function routeForm(app: Express, login: LoginRoutes): void {
  app.post(
    LOGIN_CONFIRM,
    shown(login, async (request, response) => {
      const site = request.headers['sec-fetch-site'];
      if (site !== undefined && site !== 'same-origin')
        throw new LoginFailure(400, 'This page was not sent by this server. Log in again.');
      const form = await formOf(request);
      const allowed = form.get('decision') !== 'deny';
      const decided = await login.flow.decide(form.get('ticket') ?? '', cookieOf(request), allowed);
      if ('location' in decided) return redirect(response, decided.location, FORGET, 303);
      const accepted = 'accepted' in decided ? decided.accepted : undefined;
      if (accepted !== undefined) annotateAcceptance(request, accepted);
      if (accepted !== undefined && login.console !== undefined)
        return openConsole(response, login.console, accepted.key);
      response.setHeader('Set-Cookie', FORGET);
      sendPage(response, 200, 'device' in decided ? deviceDecidedPage(decided.allowed) : notAcceptedPage());
    }),
  );
  app.all(LOGIN_CONFIRM, () => {
    throw methodNotAllowed();
  });
}

/** The endpoints for programs and devices. */
function routeDocuments(app: Express, { flow, logout, failed }: LoginRoutes): void {
  const serve = (path: string, answer: Endpoint['answer']): void =>
    routeEndpoint(app, { path, failed, unavailable: UNAVAILABLE, answer });
  serve(`${LOGIN_PATHS}token`, async (of) =>
    tokenAnswer(await flow.exchange(of('code'), of('code_verifier'))),
  );
  serve(BACKCHANNEL_LOGOUT, async (of) => {
    await logout(of('logout_token'));
    return {};
  });
  serve(LOGIN_DEVICE, async (of, request) => {
    const { remoteAddress = '' } = exchangeOf(request).request.socket;
    return flow.beginDevice(of('client_name'), remoteAddress);
  });
  serve(`${LOGIN_DEVICE}/token`, async (of) => tokenAnswer(await flow.pollDevice(of('device_code'))));
}

const queryOf = (request: Request): string => splitUrl(request.url).query;

function cookieOf({ headers }: Request): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

function redirect(response: Response, location: string, cookie: string | string[], code = 302): void {
  response.writeHead(code, { 'Set-Cookie': cookie, Location: location, 'Cache-Control': 'no-store' }).end();
}

function sendPage(response: Response, code: number, html: string, headers = PAGE_HEADERS): void {
  const body = Buffer.from(html);
  response.writeHead(code, { ...headers, 'Content-Length': body.length }).end(body);
}

async function formOf(request: Request): Promise<URLSearchParams> {
  if (!isForm(request)) throw new LoginFailure(400, 'The body must be that of a form.');
  return parseForm(await textOf(request));
}
