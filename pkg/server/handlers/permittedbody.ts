import { failure } from '../../apimachinery/errors.js';
import { readBody } from './body.js';
import type { AuthorizedRequest } from '../requestcontext.js';

const UNKNOWN = 'the request could not be authorized again';

/**
 * Reads the body, and revalidates the request when it is complete. Throws StatusError: those of `readBody`, 401, 403,
 * 503.
 */
export async function permittedBody({
  exchange,
  open,
}: Pick<AuthorizedRequest, 'exchange' | 'open'>): Promise<Buffer> {
  const body = await readBody(exchange);
  if (open === undefined || open.isCurrent()) return body;
  const outcome = await open.revalidate();
  if (open.refusal !== undefined) throw open.refusal;
  if (outcome === 'unknown') throw failure('ServiceUnavailable', UNKNOWN, { retryAfterSeconds: 1 });
  return body;
}
