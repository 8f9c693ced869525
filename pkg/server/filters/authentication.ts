/** Authenticates requests (`WithAuthentication` of `k8s.io/apiserver/pkg/endpoints/filters`). */
import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { failure, type StatusError } from '../../apimachinery/errors.js';
import {
  ANONYMOUS,
  type AuthenticatedCaller,
  type Authentication,
  type Credentials,
} from '../../authentication/interface.js';
import { credentialsOf } from './credentials.js';
import type { Exchange } from '../httpexchange.js';
import type { HandlerDependencies } from '../dependencies.js';
import type { RequestInfo } from '../requestinfo.js';
import { onceKnown } from '../../apimachinery/eventloop/onceknown.js';

type AuthenticateParts = Pick<
  HandlerDependencies,
  'authenticator' | 'anonymous' | 'activity' | 'keepsConnection'
>;

/**
 * Authenticates a request. Answers without a promise when the authenticator needs no answer from another server. Throws,
 * and rejects with, StatusError 401.
 */
export function authenticate(
  parts: AuthenticateParts,
  exchange: Exchange,
  info: Pick<RequestInfo, 'path'>,
): AuthenticatedCaller | Promise<AuthenticatedCaller> {
  const credentials = credentialsOf(exchange);
  return onceKnown(parts.authenticator.authenticate(credentials), (result) =>
    callerOf(parts, exchange, info, credentials, result),
  );
}

function callerOf(
  { anonymous, activity, keepsConnection }: AuthenticateParts,
  { request, proved }: Exchange,
  { path }: Pick<RequestInfo, 'path'>,
  credentials: Credentials,
  result: Authentication,
): AuthenticatedCaller {
  const attempts = activity.authentication;
  const known = result.outcome === 'user' || (result.outcome === 'none' && anonymous(path));
  attempts[known ? 'success' : 'failure'] += 1;
  if (result.outcome === 'user') {
    proved?.();
    const { user, expires = Infinity } = result;
    return { user, credentials, expires };
  }
  if (!known || keepsConnection?.(path, request.method ?? '') !== true) endHttp2(request);
  if (known) return { user: ANONYMOUS, credentials, expires: Infinity };
  throw unauthorized(result);
}

export const unauthorized = (answer: Authentication): StatusError =>
  failure('Unauthorized', answer.outcome === 'refused' ? answer.message : 'Unauthorized');

/**
 * Closes the HTTP/2 session of a client that failed authentication: each new attempt costs it a connection. Requests in
 * flight on the session are still answered.
 */
function endHttp2(request: IncomingMessage & { readonly stream?: ServerHttp2Stream }): void {
  request.stream?.session?.close();
}
