/** Ends a request, except a watch, when its credential or right has ended. */
import type { StatusError } from '../../apimachinery/errors.js';
import type { RequestContext } from '../requestcontext.js';
import { sendFailure } from '../failure.js';

const READS: readonly string[] = ['get', 'list', 'watch', 'head', 'options'];
/** How long the response of a write may still take, in ms: a key that deletes itself gets its response. */
const WRITE_ANSWER_MS = 1_000;
const CHANGED_PROTOCOL = 101;

/**
 * Closes the connection if the response has begun or the protocol was upgraded; otherwise sends the error. A write
 * whose body is complete continues, as its response has its outcome; if that response takes more than a second, it is
 * aborted. Returns whether the request is over.
 */
export function endEarly(context: RequestContext, error: StatusError): boolean {
  const { request, response, end } = context.exchange;
  if (response.statusCode === CHANGED_PROTOCOL) {
    end.cut();
    return true;
  }
  const write = !READS.includes(context.asked.verb) && request.complete;
  if (write && !end.over) {
    const timer = setTimeout(() => response.headersSent && end.cut(), WRITE_ANSWER_MS).unref();
    end.after(() => clearTimeout(timer));
    return false;
  }
  if (response.headersSent || end.over) end.cut();
  else sendFailure(context, error);
  return true;
}
