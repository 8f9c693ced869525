import { AuditSearch, USUAL_EVENTS } from '../../../../api/management.svc.example/v1/auditsearch.js';
import { badRequest } from '../../../apimachinery/errors.js';
import { millisecondsOf } from '../../../apimachinery/schema/gotime.js';
import { timestamp } from '../../object/metadata.js';
import type { VirtualResource } from '../../virtualresource.js';

/** The requests that the audit log of this server has on record. Everybody who may create it reads all of them. */
export const kind: VirtualResource<typeof AuditSearch> = {
  definition: AuditSearch,
  async answer(search, { user, services }) {
    const { limit = USUAL_EVENTS, continue: from = '', after, before, ...filters } = search.spec ?? {};
    const times = { after: timeOf('after', after), before: timeOf('before', before) };
    search.status = await services.searchAudit(user, { ...filters, ...times, limit, from });
    search.metadata = { creationTimestamp: timestamp() };
    return search;
  },
};

/** In ms since 1970. The schema has checked it by the same rules, which are wider than those of Date.parse. */
function timeOf(member: 'after' | 'before', time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const at = millisecondsOf(time);
  if (at === undefined) throw badRequest(`spec.${member} is not a time such as 2026-01-31T09:00:00Z`);
  return at;
}
