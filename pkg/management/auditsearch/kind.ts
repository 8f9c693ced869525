import type { ManagementServices } from '../services.js';
import { AuditSearch, USUAL_EVENTS } from '../../../api/management.svc.example/v1/auditsearch.js';
import { badRequest } from '../../apimachinery/errors.js';
import { millisecondsOf } from '../../apimachinery/schema/gotime.js';
import { aboutOf } from './about.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { VirtualResource } from '../../registry/virtualresource.js';

/** Searches the audit log of this server. Users who may create it can read all requests. */
export const kind: VirtualResource<typeof AuditSearch, ManagementServices> = {
  definition: AuditSearch,
  async answer(search, { user, services }) {
    const { limit = USUAL_EVENTS, continue: from = '', after, before, about, ...filters } = search.spec ?? {};
    const times = { after: timeOf('after', after), before: timeOf('before', before) };
    search.status = await services.searchAudit(user, {
      ...filters,
      ...times,
      accepts: aboutOf(about),
      limit,
      from,
    });
    search.metadata = { creationTimestamp: timestamp() };
    return search;
  },
};

/** Returns ms since 1970. The schema validated the time, and accepts more formats than Date.parse. */
function timeOf(member: 'after' | 'before', time: string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const at = millisecondsOf(time);
  if (at === undefined) throw badRequest(`spec.${member} is not a time such as 2026-01-31T09:00:00Z`);
  return at;
}
