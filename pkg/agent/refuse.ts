/** Answers of the agent itself, in the form of those of an API server. */
import { encodeJson } from '../apimachinery/encoding/json.js';
import { StatusError, failure } from '../apimachinery/errors.js';
import { answerEarly } from '../server/listener/rejectearly.js';
import type { Exchange } from '../server/httpexchange.js';
import { NO_SNIFFING } from '../server/responsewriters/send.js';

/** What is refused, with a StatusError; anything else is 500, and told in no detail. Nothing where an answer has begun. */
export function refuse(exchange: Exchange, error: unknown): number {
  const { response, end } = exchange;
  const refusal =
    error instanceof StatusError ? error : failure('InternalError', 'the agent met an unexpected error');
  if (response.headersSent) {
    end.cut();
    return refusal.code;
  }
  const headers = {
    ...{ 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' },
    [NO_SNIFFING.name]: NO_SNIFFING.value,
    ...refusal.headers,
  };
  answerEarly(exchange, refusal.code, headers, Buffer.from(`${encodeJson(refusal.status)}\n`));
  return refusal.code;
}

/** 503, for a client that is to come again. */
export const unavailable = (why: string): StatusError =>
  failure('ServiceUnavailable', why, { retryAfterSeconds: 1 });
