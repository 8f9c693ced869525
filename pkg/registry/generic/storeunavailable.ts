import { failure, groupResource, resourceDetails } from '../../apimachinery/errors.js';
import type { ResourceName, StatusError } from '../../apimachinery/errors.js';

const RETRY_SECONDS = 1;

/**
 * Answered while it is known that the store cannot be reached: clients of Kubernetes try again, soon. The message is
 * what the status of a namespace that is being deleted shows, so it names what the namespace waits for.
 */
export function storeUnavailable(resource?: ResourceName): StatusError {
  const what = resource === undefined ? 'the store' : `the store of ${groupResource(resource)}`;
  return soonAgain(`${what} cannot be reached, please try again`, resource);
}

/** Answered where part of the store cannot be written. `why`: for clients. */
export const storeNotWritable = (why: string, resource: ResourceName): StatusError =>
  soonAgain(`${groupResource(resource)} ${why}`, resource);

/** Answered while the store is not the one that it should be. `why`: for people, with what to do. */
export const storeRefused = (why: string, resource: ResourceName): StatusError =>
  soonAgain(`the store of ${groupResource(resource)} is not served: ${why}`, resource);

/** Answered while the roles that decide what of a kind is shown are not known to be those of now. */
export const rolesUnavailable = (resource: ResourceName): StatusError =>
  soonAgain(
    `the roles that decide which ${groupResource(resource)} are shown are not followed, please try again`,
    resource,
  );

function soonAgain(message: string, resource: ResourceName | undefined): StatusError {
  return failure('ServiceUnavailable', message, {
    ...(resource !== undefined && resourceDetails(resource, '')),
    retryAfterSeconds: RETRY_SECONDS,
  });
}
