/** How a request other than a watch ends whose caller could no longer make it. */
import type { StatusError } from '../../apimachinery/errors.js';
import type { Call } from '../call.js';
import { sendFailure } from '../failure.js';
import type { RequestInfo } from '../requestinfo.js';

const READS: readonly string[] = ['get', 'list', 'watch', 'head', 'options'];

/**
 * An answer under way breaks off; a request that only waits is refused. A write whose body is there is left alone: it is
 * being made, and its answer tells what became of it. Whether there is nothing more to answer.
 */
export function endEarly(call: Call, { verb }: Pick<RequestInfo, 'verb'>, error: StatusError): boolean {
  const { request, response, end } = call.exchange;
  const begun = response.headersSent || end.over;
  if (begun) response.destroy();
  else if (READS.includes(verb) || !request.complete) sendFailure(call, error);
  else return false;
  return true;
}
