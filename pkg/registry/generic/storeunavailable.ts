import {
  failure,
  groupResource,
  resourceDetails,
  type ResourceName,
  type StatusError,
} from '../../apimachinery/errors.js';

const RETRY_SECONDS = 1;

/**
 * The error while the store is known to be unreachable: clients of Kubernetes retry soon. The status of a namespace
 * that is being deleted shows the message, so it names the resource.
 */
export function storeUnavailable(resource?: ResourceName): StatusError {
  const what = resource === undefined ? 'the store' : `the store of ${groupResource(resource)}`;
  return soonAgain(`${what} cannot be reached, please try again`, resource);
}

/** The error if part of the store cannot be written. `why`: for clients. */
export const storeNotWritable = (why: string, resource: ResourceName): StatusError =>
  soonAgain(`${groupResource(resource)} ${why}`, resource);

/** The error while the store is the wrong one. `why`: for operators, with the remedy. */
export const storeRefused = (why: string, resource: ResourceName): StatusError =>
  soonAgain(`the store of ${groupResource(resource)} is not served: ${why}`, resource);

/** The error while the roles that decide visibility are not known to be current. */
export const rolesUnavailable = (resource: ResourceName): StatusError =>
  soonAgain(
    `the roles that decide which ${groupResource(resource)} are visible are not up to date, please try again`,
    resource,
  );

function soonAgain(message: string, resource: ResourceName | undefined): StatusError {
  return failure('ServiceUnavailable', message, {
    ...(resource !== undefined && resourceDetails(resource, '')),
    retryAfterSeconds: RETRY_SECONDS,
  });
}
