/** How a request other than a watch ends whose caller could no longer make it. */
import type { StatusError } from '../../apimachinery/errors.js';
import type { Call } from '../requestcontext.js';
import { sendFailure } from '../failure.js';
import type { RequestInfo } from '../requestinfo.js';

const READS: readonly string[] = ['get', 'list', 'watch', 'head', 'options'];
/** How long the answer of a write may still be on its way, in ms: a key that deletes itself is told so. */
const WRITE_ANSWER_MS = 1_000;
const CHANGED_PROTOCOL = 101;

/**
 * An answer under way breaks off, and so does a connection that has changed its protocol; a request that only waits is refused. A write whose body is there is left alone: it is
 * being made, and its answer tells what became of it; if that is long, it breaks off a second later. Whether there is
 * nothing more to answer.
 */
export function endEarly(call: Call, { verb }: Pick<RequestInfo, 'verb'>, error: StatusError): boolean {
  const { request, response, end } = call.exchange;
  if (response.statusCode === CHANGED_PROTOCOL) {
    end.cut();
    return true;
  }
  const write = !READS.includes(verb) && request.complete;
  if (write && !end.over) {
    const timer = setTimeout(() => response.headersSent && end.cut(), WRITE_ANSWER_MS).unref();
    end.after(() => clearTimeout(timer));
    return false;
  }
  if (response.headersSent || end.over) end.cut();
  else sendFailure(call, error);
  return true;
}
