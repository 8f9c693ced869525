/** Searches the audit log of the server that responds. */
import type { AuditSearch } from '../../../api/management.svc.example/v1/auditsearch.js';
import { asked, type AuditFilters } from './auditfilters.js';
import { pathOf } from './paths.js';
import type { Deed } from './reviews.js';
import { send } from './request.js';

const AUDIT_SEARCHES = 'auditsearches';

/** The permission to read the audit log. */
export const READ_AUDIT: Deed = { verb: 'create', resource: AUDIT_SEARCHES, namespace: '', name: '' };

/** The fields that the page shows of an event of `audit.k8s.io/v1`. */
export interface AuditEvent {
  readonly auditID?: string;
  readonly verb?: string;
  readonly requestURI?: string;
  readonly user?: { readonly username?: string };
  readonly impersonatedUser?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly requestReceivedTimestamp?: string;
  readonly stageTimestamp?: string;
}

export type AuditAnswer = Omit<NonNullable<AuditSearch['status']>, 'events'> & {
  readonly events?: readonly AuditEvent[];
};

/**
 * Returns one page of the results, the newest events first. `from`: `continue` of the page before. Rejects with
 * ApiError.
 */
export async function searchAudit(
  filters: AuditFilters,
  from: string,
  signal: AbortSignal,
): Promise<AuditAnswer> {
  const body = {
    kind: 'AuditSearch',
    apiVersion: 'management.svc.example/v1',
    spec: { ...asked(filters), ...(from !== '' && { continue: from }) },
  };
  const { status } = await send<{ status: AuditAnswer }>('POST', pathOf(AUDIT_SEARCHES), { body, signal });
  return status;
}

/** The object of the request, such as `sharedsecrets/database`, or the path of a non-resource request. */
export function whatOf({ objectRef, requestURI = '' }: AuditEvent): string {
  if (objectRef === undefined) return requestURI.replace(/\?.*/s, '');
  const { resource = '', name = '', subresource = '' } = objectRef;
  return [resource, name, subresource].filter((step) => step !== '').join('/');
}

export function whoOf({ user, impersonatedUser }: AuditEvent): string {
  const name = user?.username ?? '';
  return impersonatedUser === undefined ? name : `${name} → ${impersonatedUser.username ?? ''}`;
}
