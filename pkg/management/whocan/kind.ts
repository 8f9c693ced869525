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
import type { ResourceAttributes } from '../../apimachinery/attributes.js';
import type { VirtualResource } from '../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices } from '../services.js';
import type { Ways } from '../subjectlocator.js';

const GROUP = 'management.svc.example';
const RBAC = 'rbac.authorization.k8s.io';
/** The maximum size of the ways, in characters of their JSON. */
const MAX_CHARACTERS = 1_048_576;
/** How long one answer is looked for: nobody waits for it longer (`pkg/server/filters/deadline.ts`). */
const MAX_MS = 5_000;

type Spec = ResourceAccessReview['spec'];
type Sources = Set<RightsSource>;

/** Tells who can do something, from what the caller may read: everybody may ask. */
export const kind: VirtualResource<typeof ResourceAccessReview, ManagementServices> = {
  definition: ResourceAccessReview,
  async answer(review, context) {
    const { subjects } = context.services;
    const asked = requestOf(review.spec);
    const [readable, unread]: [Sources, Sources] = [new Set(), new Set()];
    for (const [source, reading] of sourcesOf(asked))
      ((await isAllowed(context, reading)) ? readable : unread).add(source);
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

const isAllowed = async (
  { user, services }: ManagementAnswerContext,
  request: ResourceAttributes,
): Promise<boolean> => (await services.authorize(user, request)).allowed;

const BLANK = { group: '', subresource: '', namespace: '', name: '' };

/** As the server authorizes it: whom one acts as is in the core group, and a namespace is in itself. */
function requestOf(spec: Spec): ResourceAttributes {
  const asked = { kind: 'resource' as const, version: 'v1', ...BLANK, ...spec };
  if (asked.verb === 'impersonate' && asked.resource === 'users') return { ...asked, group: '' };
  return asked.group === '' && asked.resource === 'namespaces' ? { ...asked, namespace: asked.name } : asked;
}

/** What may grant rights to this, but teams, each with the request that reads it. */
function* sourcesOf(asked: ResourceAttributes): Generator<[RightsSource, ResourceAttributes]> {
  const { group, namespace, name } = asked;
  if (group === GROUP && name !== '') yield ['object', { ...asked, verb: 'get', subresource: '' }];
  const listing = (resource: RightsSource, at: string): [RightsSource, ResourceAttributes] => [
    resource,
    requestOf({ verb: 'list', group: RBAC, resource, namespace: at }),
  ];
  if (namespace !== '') yield* [listing('rolebindings', namespace), listing('roles', namespace)];
  yield* [listing('clusterrolebindings', ''), listing('clusterroles', '')];
}

/**
 * Replaces each way of a team by one for each of its members, and one for its own keys. Teams that the caller may not
 * get stay as they are, and are told in `unread`.
 */
async function* viaTeams(context: ManagementAnswerContext, ways: Ways, unread: Sources): AsyncGenerator<Way> {
  for await (const way of ways) {
    const [first] = way.steps;
    const members = first?.kind === 'Team' ? await membersOf(first.name) : [];
    if (members.length === 0) yield way;
    for (const member of members) yield { ...way, steps: [member, ...way.steps] };
  }

  async function membersOf(team: string): Promise<Way['steps']> {
    const reading = requestOf({ verb: 'get', group: GROUP, resource: 'teams', name: team });
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
