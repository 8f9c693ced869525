import { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import {
  ProjectMembers as Definition,
  type ProjectMembers,
} from '../../../../api/management.svc.example/v1/projectmembers.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { clusterScoped, type KubeObject, type ResourceDefinition } from '../../../../api/resource.js';
import { textIn } from '../../../apimachinery/encoding/members.js';
import type { Owner } from '../../sharing/rights.js';
import { listedMembers } from './listed.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices } from '../../services.js';
import { projectOfPath } from '../requestrights.js';
import { requestFor } from '../../../apimachinery/attributes.js';

type Member = NonNullable<ProjectMembers['members']>[number];

/**
 * The owner and the members, without duplicates; with the display names of Users that the owner or the caller may get,
 * and of Teams that the caller may get.
 */
export const kind: VirtualResource<typeof Definition, ManagementServices> = {
  definition: Definition,
  below: { definition: Project, subresource: 'members' },
  readBy: { verb: 'get' },
  readOnly: true,
  async answer({ kind: called, apiVersion }, context) {
    const { owner = {}, members } = (await projectOfPath(context)).spec ?? {};
    const byRules = Array.from(context.services.objects.cached(GroupRule)).flatMap(({ metadata, spec }) =>
      spec.project === context.name
        ? [{ kind: 'GroupRule' as const, name: metadata.name ?? '', clusterRole: spec.clusterRole ?? '' }]
        : [],
    );
    const described = await withNames(context, owner, listedMembers({ owner, members }, byRules));
    return { kind: called, apiVersion, metadata: { name: context.name }, members: described };
  },
};

type Caller = ManagementAnswerContext['user'];

/** The maximum number of concurrent requests to another API server. */
const TOGETHER = 16;

async function withNames(
  { user: caller, services }: ManagementAnswerContext,
  { user = '', team = '' }: Owner,
  members: readonly Member[],
): Promise<Member[]> {
  const { person } = services;
  const owner = user !== '' ? person('User', user) : team !== '' ? person('Team', team) : undefined;
  const readersOf = (of: ResourceDefinition): readonly Caller[] =>
    of === Team || owner === undefined ? [caller] : [caller, owner];
  const mayGet = async (of: ResourceDefinition, name: string): Promise<boolean> => {
    for (const reader of readersOf(of))
      if ((await services.authorize(reader, requestFor('get', of, { name }))).allowed) return true;
    return false;
  };
  const every = new Map<ResourceDefinition, boolean>();
  for (const kindOf of [User, Team]) every.set(kindOf, await mayGet(kindOf, ''));
  const described = async (member: Member): Promise<Member> => {
    const { kind: called, name = '', ...rest } = member;
    if (called === 'GroupRule') return member;
    const kindOf = called === 'Team' ? Team : User;
    const displayName = displayNameOf(services.objects.known(kindOf, clusterScoped(name)));
    if (displayName === undefined) return member;
    if (every.get(kindOf) !== true && !(await mayGet(kindOf, name))) return member;
    return { ...(called !== undefined && { kind: called }), name, displayName, ...rest };
  };
  const all: Member[] = [];
  for (let from = 0; from < members.length; from += TOGETHER)
    all.push(...(await Promise.all(members.slice(from, from + TOGETHER).map(described))));
  return all;
}

const displayNameOf = (object: KubeObject | undefined): string | undefined =>
  textIn(object?.spec, 'displayName');
