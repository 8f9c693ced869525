import { clusterScoped } from '../../../api/resource.js';
import {
  MAX_WAYS,
  ResourceAccessReview,
  type RightsSource,
  type Way,
} from '../../../api/management.svc.example/v1/resourceaccessreview.js';
import { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { Team } from '../../../api/management.svc.example/v1/team.js';
import { slices } from '../../apimachinery/eventloop/slices.js';
import { timestamp } from '../../registry/object/metadata.js';
import { requestFor } from '../../apimachinery/attributes.js';
import type { VirtualResource } from '../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices } from '../services.js';
import type { Ways } from '../subjectlocator.js';
import { isAllowed, readableSources, requestOf, sourcesOf } from './sources.js';

/** The maximum size of the ways, in characters of their JSON. */
const MAX_CHARACTERS = 1_048_576;
/** How long one answer is looked for: nobody waits for it longer (`pkg/server/filters/deadline.ts`). */
const MAX_MS = 5_000;

/** Tells who can do something, from what the caller may read: everybody may ask. */
export const kind: VirtualResource<typeof ResourceAccessReview, ManagementServices> = {
  definition: ResourceAccessReview,
  async answer(review, context) {
    const { subjects } = context.services;
    const asked = requestOf(review.spec);
    const { readable, unread } = await readableSources(context, sourcesOf(asked));
    const ways: Way[] = [];
    let left = MAX_CHARACTERS;
    const until = performance.now() + MAX_MS;
    const pause = slices();
    for await (const way of viaTeams(context, subjects.allowedSubjects(asked, readable, until), unread)) {
      left -= ways.length === MAX_WAYS ? Infinity : JSON.stringify(way).length;
      if (left < 0 || performance.now() > until) break;
      ways.push(way);
      await pause();
    }
    review.metadata = { creationTimestamp: timestamp() };
    review.status = {
      allowed: await isAllowed(context, asked),
      ways,
      ...((left < 0 || performance.now() > until) && { truncated: true }),
      ...(unread.size > 0 && { unread: [...unread] }),
      ...(!subjects.decidesAlone && { incomplete: true }),
    };
    return review;
  },
};

/**
 * Replaces each way of a team by one for each of its members, and one for its own keys. Teams that the caller may not
 * get stay as they are, and are told in `unread`.
 */
async function* viaTeams(
  context: ManagementAnswerContext,
  ways: Ways,
  unread: Set<RightsSource>,
): AsyncGenerator<Way> {
  for await (const way of ways) {
    const [first] = way.steps;
    const members = first?.kind === 'Team' ? await membersOf(first.name) : [];
    if (members.length === 0) yield way;
    for (const member of members) yield { ...way, steps: [member, ...way.steps] };
  }

  async function membersOf(team: string): Promise<Way['steps']> {
    const reading = requestFor('get', Team, { name: team });
    const isRead = await isAllowed(context, reading);
    if (!isRead) unread.add('teams');
    const { metadata, spec } = (isRead && context.services.objects.known(Team, clusterScoped(team))) || {};
    if (metadata === undefined || metadata.deletionTimestamp !== undefined) return [];
    const rules = [...context.services.objects.cached(GroupRule)].filter((rule) => rule.spec.team === team);
    return [
      ...(spec?.users ?? []).map((name) => ({ kind: 'User' as const, name })),
      ...(spec?.groups ?? []).map((name) => ({ kind: 'Group' as const, name })),
      ...rules.map(({ metadata: { name = '' } }) => ({ kind: 'GroupRule' as const, name })),
      { kind: 'TeamKey', name: team },
    ];
  }
}
