/** Error responses of the agent, in the format of an API server. */
import { encodeJson } from '../apimachinery/encoding/json.js';
import { StatusError, failure } from '../apimachinery/errors.js';
import { answerEarly } from '../server/listener/rejectearly.js';
import type { Exchange } from '../server/httpexchange.js';
import { NO_SNIFFING } from '../server/responsewriters/send.js';

/**
 * Answers with a StatusError, or with 500 without details for other errors. Does nothing if a response has
 * begun.
 */
export function refuse(exchange: Exchange, error: unknown): number {
  const { response, end } = exchange;
  const refusal =
    error instanceof StatusError ? error : failure('InternalError', 'the agent met an unexpected error');
  if (response.headersSent) {
    end.cut();
    return refusal.code;
  }
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache, private',
    [NO_SNIFFING.name]: NO_SNIFFING.value,
    ...refusal.headers,
  };
  answerEarly(exchange, refusal.code, headers, Buffer.from(`${encodeJson(refusal.status)}\n`));
  return refusal.code;
}

/** 503, so that the client retries. */
export const unavailable = (why: string): StatusError =>
  failure('ServiceUnavailable', why, { retryAfterSeconds: 1 });
