import { useQuery } from '@tanstack/react-query';
import type { ObjectMeta } from '../../../api/resource.js';
import { READ_AUDIT, searchAudit, type AuditEvent } from '../client/audit.js';
import { useMay } from '../client/reviews.js';

/** One answer searches a bounded part of the log: the search goes back this number of parts. */
const MAX_ANSWERS = 5;
const NONE: readonly AuditEvent[] = [];

/** The latest recorded changes of an object; none for a user who may not read the audit log. */
export function useChangers(resource: string, metadata: ObjectMeta): readonly AuditEvent[] {
  const { namespace = '', name = '', uid = '', generation = 0 } = metadata;
  const enabled = useMay(READ_AUDIT);
  // The status of some objects changes every few seconds, and no person changes it: that is no reason to search again.
  const { data = NONE } = useQuery({
    queryKey: ['changers', resource, uid, generation],
    queryFn: async ({ signal }) => {
      const asked = { about: 'Changes', resource, name, ...(namespace !== '' && { namespace }) };
      const events: AuditEvent[] = [];
      let from: string | undefined = '';
      for (let at = 0; at < MAX_ANSWERS && from !== undefined; at += 1) {
        const answer = await searchAudit(asked, from, signal);
        events.push(...(answer.events ?? []));
        from = answer.continue;
      }
      return events;
    },
    enabled,
    placeholderData: (before) => before,
    staleTime: Infinity,
    retry: false,
  });
  return data;
}
