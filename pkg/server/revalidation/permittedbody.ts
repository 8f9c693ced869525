import { failure } from '../../apimachinery/errors.js';
import { readBody } from '../handlers/body.js';
import type { AuthenticatedCall } from '../requestcontext.js';

const UNKNOWN = 'whether this is still allowed could not be found out';

/** The whole body, of a caller who may make the request when it is there. Throws StatusError, as `readBody` and 401, 403, 503. */
export async function permittedBody({
  exchange,
  open,
}: Pick<AuthenticatedCall, 'exchange' | 'open'>): Promise<Buffer> {
  const body = await readBody(exchange);
  if (open === undefined || open.isCurrent()) return body;
  const standing = await open.recheck();
  if (open.refusal !== undefined) throw open.refusal;
  if (standing === 'unknown') throw failure('ServiceUnavailable', UNKNOWN, { retryAfterSeconds: 1 });
  return body;
}
