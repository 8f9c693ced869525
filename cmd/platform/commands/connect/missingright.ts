/** Says of a right that somebody lacks at which server that is. */
import { Failure } from '../../failure.js';

/** `error`, or a clearer one where the management API at `server` forbids a request. */
export function withMissingRight(error: unknown, server: string): unknown {
  if (!(error instanceof Failure) || error.reason !== 'forbidden') return error;
  // The advice names the right.
  if (error.advice !== undefined)
    return new Failure('forbidden', `${error.said} at ${server}`, { advice: error.advice, cause: error });
  return new Failure('forbidden', `${server} does not let you connect a cluster: ${error.said}`, {
    advice: 'ask an administrator of that server to run this command',
    cause: error,
  });
}
