import { failure, type StatusError } from '../apimachinery/errors.js';

const RETRY_SECONDS = 1;

/** Answered while it is known that the store cannot be reached: clients of Kubernetes try again, soon. */
export function storeAway(): StatusError {
  const answer = failure('ServiceUnavailable', 'the store cannot be reached, please try again', {
    retryAfterSeconds: RETRY_SECONDS,
  });
  answer.headers['Retry-After'] = String(RETRY_SECONDS);
  return answer;
}
