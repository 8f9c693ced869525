/** Endpoints as OAuth has them (RFC 6749, 4.1.3, 5.1 and 5.2): named texts come, an object of JSON or an error goes. */
import type { Express, Request, Response } from 'express';
import { parseJson } from '../../apimachinery/encoding/depth.js';
import { isObject } from '../../apimachinery/encoding/members.js';
import { methodNotAllowed, StatusError } from '../../apimachinery/errors.js';
import { parseForm } from '../../apimachinery/options/query.js';
import type { LoginKey } from './accesskey.js';
import { LoginFailure } from './interface.js';
import { readBody } from '../../server/handlers/body.js';
import { exchangeOf } from '../../server/routes/routes.js';

const MAX_BODY_BYTES = 64 * 1024;

/** A parameter of the request; empty if absent, repeated, or not text. */
export type Parameters = (name: string) => string;

export interface Endpoint {
  readonly path: string;
  /** Called with unexpected errors, and if a provider or an issuer cannot be reached. */
  readonly failed: (error: unknown) => void;
  /** The message for the client after an unexpected error. */
  readonly unavailable: string;
  /** Rejects with LoginFailure or StatusError. */
  answer(parameters: Parameters, request: Request): Promise<object>;
}

/** Serves POST at the path; the body is a form, or an object of JSON with the same members. */
export function routeEndpoint(app: Express, endpoint: Endpoint): void {
  app.post(endpoint.path, async (request: Request, response: Response) => {
    try {
      send(response, 200, await endpoint.answer(await parametersOf(request), request));
    } catch (error) {
      const { code, error: name, message } = oauthErrorOf(error, endpoint);
      send(response, code, { error: name, error_description: message });
    }
  });
  app.all(endpoint.path, () => {
    throw methodNotAllowed();
  });
}

/** An access key as an access token (RFC 6749, section 5.1). */
export function tokenAnswer({ key, name, user, expiresInSeconds }: LoginKey): object {
  return { access_token: key, token_type: 'Bearer', expires_in: expiresInSeconds, access_key: name, user };
}

export function isForm({ headers }: Request): boolean {
  return (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
}

/** The body as text. Rejects with StatusError as {@link readBody}. */
export async function textOf(request: Request): Promise<string> {
  return (await readBody(exchangeOf(request), { maxBytes: MAX_BODY_BYTES })).toString('utf8');
}

async function parametersOf(request: Request): Promise<Parameters> {
  const text = await textOf(request);
  if (isForm(request)) {
    const form = parseForm(text);
    return (name) => (form.getAll(name).length === 1 ? (form.get(name) ?? '') : '');
  }
  const members = text === '' ? {} : parsed(text);
  return (name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text);
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw new LoginFailure(400, 'The body must be a form, or an object of JSON.');
}

function send(response: Response, code: number, document: object): void {
  const body = Buffer.from(JSON.stringify(document));
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  response.writeHead(code, { ...headers, 'Content-Length': body.length }).end(body);
}

/** The OAuth error for the client. */
export function oauthErrorOf(
  error: unknown,
  { failed, unavailable }: Pick<Endpoint, 'failed' | 'unavailable'>,
): LoginFailure {
  if (error instanceof LoginFailure) {
    if (error.code === 502) failed(error.cause ?? error);
    return error;
  }
  if (error instanceof StatusError && error.code < 500) return new LoginFailure(400, error.message);
  failed(error);
  return new LoginFailure(502, unavailable, 'temporarily_unavailable');
}
