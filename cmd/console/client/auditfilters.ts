/** What the audit log is searched for. */

/** The filters that are texts, in the order of the form, each with its flag of the platform audit command. */
export const FILTERS = {
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
export function asked({ about, ...others }: AuditFilters): AuditFilters {
  return about === undefined || about === 'All' ? others : { about, ...others };
}

/** What a form asks for. */
export const FIELD_NAMES = FILTER_NAMES.filter((name) => name !== 'about');
