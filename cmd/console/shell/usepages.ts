import { READ_AUDIT } from '../client/audit.js';
import { LIST_RULES } from '../client/grouprules.js';
import { useMay } from '../client/reviews.js';
import { PAGES } from './pages.js';

/** The pages that the user can use. */
export function usePages(): readonly (typeof PAGES)[number][] {
  const mayReadAudit = useMay(READ_AUDIT);
  const mayListRules = useMay(LIST_RULES);
  return PAGES.filter(([to]) => (to !== '/audit' || mayReadAudit) && (to !== '/grouprules' || mayListRules));
}
