import { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { ProjectMembers } from '../../../../api/management.svc.example/v1/projectmembers.js';
import { ProjectMembers as Definition } from '../../../../api/management.svc.example/v1/projectmembers.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import type { KubeObject } from '../../../../api/resource.js';
import { PROJECT_ADMIN } from '../../../apimachinery/projects/roles.js';
import type { RequestContext, RequestKind } from '../../requestkind.js';
import { projectOfPath } from '../requestrights.js';

type Member = NonNullable<ProjectMembers['members']>[number];

/** The owner and the members, each once. */
export const kind: RequestKind = {
  definition: Definition,
  below: { definition: Project, subresource: 'members' },
  readBy: { verb: 'get' },
  readOnly: true,
  async answer({ kind: called, apiVersion }, context) {
    const { owner: { user = '', team = '' } = {}, members = [] } = (await projectOfPath(context)).spec ?? {};
    const found = new Map<string, Member>();
    const add = (of: 'User' | 'Team', name: string, clusterRole: string, owner: boolean): void => {
      const key = `${of}/${name}`;
      const { clusterRoles = [], ...before } = found.get(key) ?? described(context, of, name);
      const roles = clusterRoles.includes(clusterRole) ? clusterRoles : [...clusterRoles, clusterRole];
      found.set(key, { ...before, ...(owner && { owner }), clusterRoles: roles });
    };
    if (user !== '') add('User', user, PROJECT_ADMIN, true);
    if (team !== '') add('Team', team, PROJECT_ADMIN, true);
    for (const { kind: of, name, clusterRole } of members) add(of, name, clusterRole, false);
    return { kind: called, apiVersion, metadata: { name: context.name }, members: [...found.values()] };
  },
};

function described({ services }: RequestContext, kindOf: 'User' | 'Team', name: string): Member {
  const object = services.objects.known(kindOf === 'User' ? User : Team, '', name);
  const displayName = displayNameOf(object);
  return { kind: kindOf, name, ...(displayName !== undefined && { displayName }) };
}

const displayNameOf = (object: KubeObject | undefined): string | undefined =>
  (object?.spec as { displayName?: string } | undefined)?.displayName;
