/** From anything thrown to the `Status` that a client sees. */
import { encodeJson, encodePretty } from '../apimachinery/encoding/json.js';
import { encodeDocument } from '../apimachinery/encoding/protobuf/documents.js';
import { encodeYaml } from '../apimachinery/encoding/yaml/yaml.js';
import {
  StatusError as AnyStatusError,
  failure,
  internalError,
  type StatusError,
} from '../apimachinery/errors.js';
import { negotiate, wantsPretty, type Offer } from '../apimachinery/negotiation.js';
import { CacheUnavailable } from '../cache/interface.js';
import { unavailable, type ResourceStore } from '../registry/resourcestore.js';
import { StorageError } from '../storage/interface.js';
import type { RequestContext } from './requestcontext.js';
import { answerEarly } from './listener/rejectearly.js';
import { Overloaded } from './filters/flowcontrol/fairslots.js';
import type { HandlerDependencies } from './dependencies.js';
import { loggableError } from './logging/loggableerror.js';
import { splitUrl } from './requestinfo.js';
import { commonHeaders } from './responsewriters/send.js';

/** An unknown throw is a 500 with an id that is in the log; its text goes to the log only. */
export function failureOf(
  error: unknown,
  call: RequestContext,
  store: ResourceStore | undefined,
  log: Pick<HandlerDependencies['log'], 'error'>,
): StatusError {
  if (error instanceof AnyStatusError) return error;
  if (error instanceof CacheUnavailable) {
    return failure('TooManyRequests', 'storage is (re)initializing', { retryAfterSeconds: 1 });
  }
  if (error instanceof Overloaded) {
    return TURNED_AWAY;
  }
  if (error instanceof StorageError && store !== undefined) {
    const answer = unavailable(store, 'get', error);
    if (answer instanceof AnyStatusError) return answer;
  }
  logUnknown(log, call, error);
  return internalError(`see the server's log for ${call.auditId}`);
}

const TOO_MANY_REQUESTS = 'Too many requests, please try again later.';
const TURNED_AWAY = failure('TooManyRequests', TOO_MANY_REQUESTS, { retryAfterSeconds: 1 });
const TURNED_AWAY_BODY = Buffer.from(`${TOO_MANY_REQUESTS}\n`);

/** As kube-apiserver answers: text, no Status. */
export function sendOverloaded(call: RequestContext): void {
  const headers = {
    ...commonHeaders(call, 'text/plain; charset=utf-8'),
    'Retry-After': '1',
  };
  answerEarly(call.exchange, 429, headers, TURNED_AWAY_BODY);
}

/** Logs an unexpected error under the id that the response has. */
export function logUnknown(
  log: Pick<HandlerDependencies['log'], 'error'>,
  { auditId }: RequestContext,
  error: unknown,
): void {
  log.error({ auditId, error: loggableError(error) }, 'request failed');
}

const OFFER: Offer = { types: ['json', 'yaml', 'protobuf'], transforms: [], watch: false };

/** A Status is never a Table. It is indented JSON if the client accepts none of its forms. */
export function sendFailure(call: RequestContext, error: StatusError): void {
  const { contentType, body } = written(call, error);
  const headers = { ...commonHeaders(call, contentType), ...error.headers };
  answerEarly(call.exchange, error.code, headers, body);
}

function written(call: RequestContext, { status }: StatusError): { contentType: string; body: Buffer } {
  const { headers, url = '' } = call.exchange.request;
  const json = 'application/json';
  try {
    const { mediaType, contentType, pretty } = negotiate(headers.accept, OFFER);
    if (mediaType === 'yaml') return { contentType, body: Buffer.from(encodeYaml(status)) };
    if (mediaType === 'protobuf') return { contentType, body: encodeDocument(status) };
    if (!wantsPretty(splitUrl(url).query, pretty, headers['user-agent'])) {
      return { contentType: json, body: Buffer.from(`${encodeJson(status)}\n`) };
    }
  } catch (error) {
    if (!(error instanceof AnyStatusError)) throw error;
  }
  return { contentType: json, body: Buffer.from(encodePretty(status)) };
}
