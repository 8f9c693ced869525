import { failure, groupResource, resourceDetails } from '../apimachinery/errors.js';
import type { ResourceName, StatusError } from '../apimachinery/errors.js';

const RETRY_SECONDS = 1;

/**
 * Answered while it is known that the store cannot be reached: clients of Kubernetes try again, soon. The message is
 * what the status of a namespace that is being deleted shows, so it names what the namespace waits for.
 */
export function storeAway(resource?: ResourceName): StatusError {
  const what = resource === undefined ? 'the store' : `the store of ${groupResource(resource)}`;
  const answer = failure('ServiceUnavailable', `${what} cannot be reached, please try again`, {
    ...(resource !== undefined && resourceDetails(resource, '')),
    retryAfterSeconds: RETRY_SECONDS,
  });
  answer.headers['Retry-After'] = String(RETRY_SECONDS);
  return answer;
}
