/** The exchange of tokens of workloads, as OAuth has it (RFC 8693). */
import type { Express, Request, Response } from 'express';
import { methodNotAllowed, StatusError } from '../../apimachinery/errors.js';
import { parseJson } from '../../apimachinery/encoding/depth.js';
import { LoginFailure } from '../../login/interface.js';
import type { WorkloadExchange } from '../../login/workload/exchange.js';
import { readBody } from '../handlers/body.js';
import { WORKLOAD_TOKEN } from './loginpaths.js';
import { exchangeOf } from './routes.js';

const MAX_BODY_BYTES = 64 * 1024;
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPES = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'];
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const ANNOTATION = 'management.svc.example/workload-';

export interface WorkloadRoutes {
  readonly exchange: Pick<WorkloadExchange, 'exchange'>;
  /** Told of what nobody foresaw, and of an issuer that cannot be reached. */
  readonly failed: (error: unknown) => void;
}

/** Undefined: the path is served by nobody. */
export function routeWorkload(app: Express, workload: WorkloadRoutes | undefined): void {
  if (workload === undefined) return;
  app.post(WORKLOAD_TOKEN, async (request: Request, response: Response) => {
    try {
      send(response, 200, await answer(workload, request));
    } catch (error) {
      const { code, error: name, message } = told(error, workload.failed);
      send(response, code, { error: name, error_description: message });
    }
  });
  app.all(WORKLOAD_TOKEN, () => {
    throw methodNotAllowed();
  });
}

async function answer({ exchange }: WorkloadRoutes, request: Request): Promise<object> {
  const of = await membersOf(request);
  if (of('grant_type') !== GRANT_TYPE)
    throw new LoginFailure(400, `grant_type must be ${GRANT_TYPE}`, 'unsupported_grant_type');
  if (!TOKEN_TYPES.includes(of('subject_token_type')))
    throw new LoginFailure(400, `subject_token_type must be one of ${TOKEN_TYPES.join(', ')}`);
  const { key, issuer, subject, rule } = await exchange.exchange(of('subject_token'));
  const { audit } = exchangeOf(request);
  for (const [name, value] of Object.entries({ issuer, subject, rule, key: key.name }))
    audit?.annotated(ANNOTATION + name, value);
  return {
    ...{ access_token: key.key, issued_token_type: ACCESS_TOKEN, token_type: 'Bearer' },
    ...{ expires_in: key.expiresInSeconds, access_key: key.name, user: key.user },
  };
}

/** A form, or JSON with the same members; one that is given twice counts as none. */
async function membersOf(request: Request): Promise<(member: string) => string> {
  const bytes = await readBody(exchangeOf(request), { mostBytes: MAX_BODY_BYTES });
  const text = bytes.toString('utf8');
  if ((request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')) {
    const form = new URLSearchParams(text);
    return (member) => (form.getAll(member).length === 1 ? (form.get(member) ?? '') : '');
  }
  const members = parsed(text);
  return (member) => {
    const value = Object.hasOwn(members, member) ? members[member] : undefined;
    return typeof value === 'string' ? value : '';
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
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

/** What the client is told of an error. */
function told(error: unknown, failed: WorkloadRoutes['failed']): LoginFailure {
  if (error instanceof LoginFailure) {
    if (error.code === 502) failed(error.cause ?? error);
    return error;
  }
  if (error instanceof StatusError && error.code < 500) return new LoginFailure(400, error.message);
  failed(error);
  return new LoginFailure(502, 'Tokens cannot be exchanged now. Try again later.', 'temporarily_unavailable');
}
