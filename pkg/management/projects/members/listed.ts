import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { ProjectMembers } from '../../../../api/management.svc.example/v1/projectmembers.js';
import { PROJECT_ADMIN } from '../roles.js';

type Member = NonNullable<ProjectMembers['members']>[number];

/** Somebody who has a role in a project. */
interface Given {
  readonly kind: 'User' | 'Team' | 'GroupRule';
  readonly name: string;
  readonly clusterRole: string;
}

/** The owner, the members and `others`, each once, with all of their roles. */
export function listedMembers(
  {
    owner: { user = '', team = '' } = {},
    members = [],
  }: Pick<NonNullable<Project['spec']>, 'owner' | 'members'>,
  others: readonly Given[] = [],
): (Member & { name: string })[] {
  const found = new Map<string, Member & { name: string }>();
  const owner = { owner: true, clusterRoles: [PROJECT_ADMIN] };
  if (user !== '') found.set(`User/${user}`, { kind: 'User', name: user, ...owner });
  if (team !== '') found.set(`Team/${team}`, { kind: 'Team', name: team, ...owner });
  for (const { kind, name, clusterRole } of [...members, ...others]) {
    const { clusterRoles = [], ...known } = found.get(`${kind}/${name}`) ?? { kind, name };
    found.set(`${kind}/${name}`, { ...known, clusterRoles: [...new Set([...clusterRoles, clusterRole])] });
  }
  return [...found.values()];
}
