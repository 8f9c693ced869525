/** Searches the audit log of the server that responds. */
import type { AuditSearch } from '../../../api/management.svc.example/v1/auditsearch.js';
import { command } from './commands/command.js';
import { pathOf } from './paths.js';
import type { Deed } from './reviews.js';
import { send } from './request.js';

const AUDIT_SEARCHES = 'auditsearches';

/** The permission to read the audit log. */
export const READ_AUDIT: Deed = { verb: 'create', resource: AUDIT_SEARCHES, namespace: '', name: '' };

/** The filters that are texts, in the order of the form, each with its flag of the `platform audit` command. */
const FILTERS = {
  about: '--about',
  user: '--user',
  verb: '--verb',
  resource: '--resource',
  namespace: '--namespace',
  name: '--name',
  code: '--code',
  after: '--after',
  before: '--before',
  sourceIP: '--source-ip',
  auditID: '--audit-id',
} as const;

export type FilterName = keyof typeof FILTERS;
export type AuditFilters = { readonly [Name in FilterName]?: string };

export const FILTER_NAMES = Object.keys(FILTERS).filter((name): name is FilterName => name in FILTERS);

/** What the events are about. */
export const ABOUT = ['Changes', 'SecretReads', 'Refused', 'All'] as const;

/** What the server is asked: it has no word for all. */
function asked({ about, ...others }: AuditFilters): AuditFilters {
  return about === undefined || about === 'All' ? others : { about, ...others };
}

/** What a form asks for. */
export const FIELD_NAMES = FILTER_NAMES.filter((name) => name !== 'about');

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

export const auditCommand = (filters: AuditFilters): string =>
  command(
    'platform',
    'audit',
    ...FILTER_NAMES.flatMap((name) => {
      const { [name]: value } = asked(filters);
      return value === undefined ? [] : [`${FILTERS[name]}=${value}`];
    }),
  );

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
