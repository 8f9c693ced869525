/** The command that does the same as the page of the audit log. */
import { asked, FILTER_NAMES, FILTERS, type AuditFilters } from '../auditfilters.js';
import { command } from './command.js';

export const auditCommand = (filters: AuditFilters): string =>
  command(
    'platform',
    'audit',
    ...FILTER_NAMES.flatMap((name) => {
      const { [name]: value } = asked(filters);
      return value === undefined ? [] : [`${FILTERS[name]}=${value}`];
    }),
  );
