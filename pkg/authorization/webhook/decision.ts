import { failure, internalError, type StatusError } from '../../apimachinery/errors.js';
import { HostUnreachable } from '../../hostclient/interface.js';
import type { Decision } from '../interface.js';

/** `denied`: no other authorizer may allow it. */
export type HostDecision = Decision & { readonly denied?: true };

/** Reads `status` of a SubjectAccessReview. Throws Error if it both allows and denies. */
export function decisionOf({ allowed, denied, reason }: Readonly<Record<string, unknown>>): HostDecision {
  if (allowed === true && denied === true) throw new Error('the host allows and denies the same');
  const text = typeof reason === 'string' ? reason : '';
  return { allowed: allowed === true, reason: text, ...(denied === true && { denied }) };
}

/** Whether the host allows it by this ClusterRole (`ClusterRoleBinding "b" of ClusterRole "r" to User "u"`). */
export const namesRole = ({ allowed, reason = '' }: Decision, role: string): boolean =>
  allowed && reason.includes(` of ClusterRole "${role}" to `);

const AGAIN_SECONDS = 1;

/**
 * The error for a client whose rights cannot be determined. kube-apiserver answers 500 whenever its authorizer fails.
 * While the host is only unavailable, 503 with `Retry-After` makes clients retry, and shows in monitoring that this
 * server is not at fault. Permanent failures, such as a missing right to create reviews, stay 500.
 */
export function reviewUnavailable(error: unknown): StatusError {
  if (!(error instanceof HostUnreachable))
    return internalError('whether this is allowed could not be found out: see the log of the server');
  return failure(
    'ServiceUnavailable',
    'whether this is allowed could not be found out: the API server of the cluster does not answer',
    { retryAfterSeconds: AGAIN_SECONDS },
  );
}
