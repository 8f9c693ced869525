/** Logging in over HTTP: pages for people, JSON (as OAuth has it) for programs. */
import type { Express, Request, Response } from 'express';
import { StatusError } from '../../apimachinery/errors.js';
import type { LoginKey } from '../../login/account.js';
import type { Beginning, LoginFlow } from '../../login/flow.js';
import { waitingProgram } from '../../login/flow.js';
import { LoginFailure } from '../../login/interface.js';
import {
  consentHeaders,
  consentPage,
  deviceDecidedPage,
  failurePage,
  keyPage,
  PAGE_HEADERS,
} from '../../login/pages.js';
import { readBody } from '../handlers/body.js';
import { CONSOLE, CONSOLE_LOGIN } from './console/paths.js';
import { keepSession } from './console/sessioncookie.js';
import type { ConsoleSessions } from './console/sessions.js';
import { LOGIN, LOGIN_CALLBACK, LOGIN_CONFIRM, LOGIN_DEVICE, LOGIN_PATHS } from './loginpaths.js';
import { exchangeOf, readable } from './routes.js';
import { methodNotAllowed } from '../../apimachinery/errors.js';
import { splitUrl } from '../requestinfo.js';
import { parseJson } from '../../apimachinery/encoding/depth.js';

export interface LoginRoutes {
  readonly flow: LoginFlow;
  /** Where people reach this server. */
  readonly url: () => string;
  /** Told of what nobody foresaw, and of a provider that cannot be reached. */
  readonly failed: (error: unknown) => void;
  /** Where browsers log in to the console; absent: there is none. */
  readonly console?: Pick<ConsoleSessions, 'beginWith'> | undefined;
}

/** Its prefix makes browsers keep it for this host alone, over TLS. */
const COOKIE = '__Host-login';
const COOKIE_RULES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
/** Of a page whose form comes back to this server. */
const FORM_RULES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
const FORGET = `${COOKIE}=; Max-Age=0; ${COOKIE_RULES}`;
const KEPT_SECONDS = 600;
const MOST_BODY_BYTES = 64 * 1024;

/** `login` absent: the paths are served by nobody. */
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
      const failure = told(error, failed);
      sendPage(response, failure.code, failurePage(failure.message, LOGIN));
    }
  };
}

async function begin(flow: LoginFlow, response: Response, asks: Beginning | undefined): Promise<void> {
  const { location, cookie } = await flow.begin(asks);
  redirect(response, location, `${COOKIE}=${cookie}; Max-Age=${KEPT_SECONDS}; ${COOKIE_RULES}`);
}

/** What browsers are led to. */
function routePages(app: Express, login: LoginRoutes): void {
  const { flow, url, console } = login;
  const page = (path: string, serve: Serve): void => readable(app, path, shown(login, serve));
  page(LOGIN, async (request, response) => {
    const program = waitingProgram(new URLSearchParams(queryOf(request)));
    await begin(flow, response, program && { program });
  });
  page(LOGIN_CALLBACK, async (request, response) => {
    const done = await flow.finish(queryOf(request), cookieOf(request));
    if ('consent' in done) {
      const { consent } = done;
      response.setHeader('Set-Cookie', `${COOKIE}=${consent.cookie}; Max-Age=${KEPT_SECONDS}; ${FORM_RULES}`);
      return sendPage(response, 200, consentPage(consent, LOGIN_CONFIRM, url()), consentHeaders(consent));
    }
    if (done.console && console !== undefined) {
      const { cookie, lifeSeconds } = console.beginWith(done.key, done.key.expiresInSeconds);
      return redirect(response, `${CONSOLE}/`, [FORGET, keepSession(cookie, lifeSeconds)], 303);
    }
    response.setHeader('Set-Cookie', FORGET);
    sendPage(response, 200, keyPage(done.key, url()));
  });
  if (console !== undefined)
    page(CONSOLE_LOGIN, (_request, response) => begin(flow, response, { console: true }));
  page(`${LOGIN_DEVICE}/:link`, async (request, response) => {
    const code = new URLSearchParams(queryOf(request)).get('user_code') ?? undefined;
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
      response.setHeader('Set-Cookie', FORGET);
      sendPage(response, 200, deviceDecidedPage(decided.allowed));
    }),
  );
  app.all(LOGIN_CONFIRM, () => {
    throw methodNotAllowed();
  });
}

/** What programs and devices ask. */
function routeDocuments(app: Express, { flow, failed }: LoginRoutes): void {
  answers(app, `${LOGIN_PATHS}token`, failed, async (body) =>
    answerOf(await flow.exchange(body('code'), body('code_verifier'))),
  );
  answers(app, LOGIN_DEVICE, failed, (body, request) => {
    const { remoteAddress = '' } = exchangeOf(request).request.socket;
    return Promise.resolve(flow.beginDevice(body('client_name'), remoteAddress));
  });
  answers(app, `${LOGIN_DEVICE}/token`, failed, async (body) =>
    answerOf(await flow.pollDevice(body('device_code'))),
  );
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

/** As OAuth names it (RFC 6749, section 5.1). */
function answerOf({ key, name, user, expiresInSeconds }: LoginKey): object {
  return { access_token: key, token_type: 'Bearer', expires_in: expiresInSeconds, access_key: name, user };
}

/** POST of JSON; `body` gives its members, empty where they are no texts. */
function answers(
  app: Express,
  path: string,
  failed: LoginRoutes['failed'],
  answer: (body: (member: string) => string, request: Request) => Promise<object>,
): void {
  app.post(path, async (request: Request, response: Response) => {
    try {
      const members = await bodyOf(request);
      sendJson(response, 200, await answer((member) => textOf(members[member]), request));
    } catch (error) {
      const { code, error: name, message } = told(error, failed);
      sendJson(response, code, { error: name, error_description: message });
    }
  });
  app.all(path, () => {
    throw methodNotAllowed();
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const bytes = await readBody(exchangeOf(request), { mostBytes: MOST_BODY_BYTES });
  if (bytes.length === 0) return {};
  try {
    return (parseJson(bytes.toString('utf8')) ?? {}) as Record<string, unknown>;
  } catch {
    throw new LoginFailure(400, 'The body must be JSON.');
  }
}

async function formOf(request: Request): Promise<URLSearchParams> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded'))
    throw new LoginFailure(400, 'The body must be that of a form.');
  const bytes = await readBody(exchangeOf(request), { mostBytes: MOST_BODY_BYTES });
  return new URLSearchParams(bytes.toString('utf8'));
}

function sendJson(response: Response, code: number, document: object): void {
  const body = Buffer.from(JSON.stringify(document));
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  response.writeHead(code, { ...headers, 'Content-Length': body.length }).end(body);
}

/** What the client is told of an error. */
function told(error: unknown, failed: LoginRoutes['failed']): LoginFailure {
  if (error instanceof LoginFailure) {
    if (error.code === 502) failed(error.cause ?? error);
    return error;
  }
  if (error instanceof StatusError && error.code < 500) return new LoginFailure(400, error.message);
  failed(error);
  return new LoginFailure(502, 'Logging in does not work now. Try again later.', 'temporarily_unavailable');
}
