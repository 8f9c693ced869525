import { PROXY_GRANT } from '../../management/access/managednames.js';
import { failure, internalError } from '../../apimachinery/errors.js';
import type { StatusError } from '../../apimachinery/errors.js';
import { HostUnreachable } from '../../hostclient/interface.js';
import type { Decision } from '../interface.js';

/** `denied`: nobody else may allow it. */
export type HostDecision = Decision & { readonly denied?: true };

/** Of `status` of a SubjectAccessReview. Throws Error for one that contradicts itself. */
export function decisionOf({ allowed, denied, reason }: Readonly<Record<string, unknown>>): HostDecision {
  if (allowed === true && denied === true) throw new Error('the host allows and denies the same');
  const told = typeof reason === 'string' ? reason : '';
  return { allowed: allowed === true, reason: told, ...(denied === true && { denied }) };
}

const BY_PROXY_GRANT = ` of ClusterRole "${PROXY_GRANT}" to `;

/** Whether the host allows it by a role that is no right: its words tell which (`ClusterRoleBinding "b" of ClusterRole "r" to User "u"`). */
export const isByProxyGrant = ({ allowed, reason = '' }: Decision): boolean =>
  allowed && reason.includes(BY_PROXY_GRANT);

const AGAIN_SECONDS = 1;

/**
 * What a client is told whose rights are not known. kube-apiserver answers 500 whenever its authorizer fails; where the host
 * is only away for a while, 503 with `Retry-After` makes clients come again by themselves, and tells monitoring that this
 * server is not at fault. Another failure (this server may not ask, say) will not pass: it stays 500.
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
