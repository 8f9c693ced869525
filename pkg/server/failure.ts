/** From anything thrown to the `Status` that a client sees. */
import { encodeJson, encodePretty } from '../apimachinery/encoding/json.js';
import type { StatusError } from '../apimachinery/errors.js';
import { StatusError as AnyStatusError, failure, internalError } from '../apimachinery/errors.js';
import { CacheUnavailable } from '../cache/interface.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { unavailable } from '../registry/resourcestore.js';
import { StorageError } from '../storage/interface.js';
import type { Call } from './call.js';
import type { HandlerDependencies } from './handle.js';
import { commonHeaders } from './send.js';

/** An unknown throw is a 500 with an id that is in the log; its text goes to the log only. */
export function failureOf(
  error: unknown,
  call: Call,
  store: ResourceStore | undefined,
  log: HandlerDependencies['log'],
): StatusError {
  if (error instanceof AnyStatusError) return error;
  if (error instanceof CacheUnavailable) {
    const answer = failure('TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 });
    answer.headers['Retry-After'] = '1';
    return answer;
  }
  if (error instanceof StorageError && store !== undefined) {
    const answer = unavailable(store, 'get', error);
    if (answer instanceof AnyStatusError) return answer;
  }
  log.error({ auditId: call.auditId, err: error }, 'request failed');
  return internalError(`see the server's log for ${call.auditId}`);
}

export function sendFailure(call: Call, error: StatusError): void {
  const { request, response } = call.exchange;
  const pretty = /[?&]pretty=(1|true|t)(&|$)/i.test(request.url ?? '') || isTerminal(request.headers['user-agent']);
  const text = pretty ? encodePretty(error.status) : `${encodeJson(error.status)}\n`;
  const headers = { ...commonHeaders(call, 'application/json'), ...error.headers };
  const body = Buffer.from(text);
  headers['Content-Length'] = String(body.length);
  if (!request.complete && request.httpVersionMajor === 1) headers.Connection = 'close';
  response.writeHead(error.code, headers);
  response.end(request.method === 'HEAD' ? undefined : body);
  request.resume();
}

const isTerminal = (agent: string | undefined): boolean => /^(curl|Wget|Mozilla\/5\.0)/.test(agent ?? '');
