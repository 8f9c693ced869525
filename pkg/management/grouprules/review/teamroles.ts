/** The roles in projects that teams have as members, as far as the caller may get the projects. */
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { GroupRuleReview } from '../../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import { slices } from '../../../apimachinery/eventloop/slices.js';
import type { ManagementAnswerContext } from '../../services.js';
import { requestFor } from '../../../apimachinery/attributes.js';

type TeamRole = NonNullable<NonNullable<GroupRuleReview['status']>['teamRoles']>[number];

/** A project may have 2,000 members. */
export const MOST_TEAM_ROLES = 500;

/** Each role of each of the teams; the first {@link MOST_TEAM_ROLES}. */
export async function teamRoles(
  teams: ReadonlySet<string>,
  { user, services }: ManagementAnswerContext,
): Promise<TeamRole[]> {
  const found: TeamRole[] = [];
  if (teams.size === 0) return found;
  const pause = slices();
  for (const { metadata, spec } of services.objects.cached(Project)) {
    const roles = (spec?.members ?? []).flatMap(({ kind, name, clusterRole }) =>
      kind === 'Team' && teams.has(name) ? [{ team: name, project: metadata.name ?? '', clusterRole }] : [],
    );
    const reading = requestFor('get', Project, metadata);
    if (roles.length > 0 && (await services.authorize(user, reading)).allowed) found.push(...roles);
    if (found.length >= MOST_TEAM_ROLES) break;
    await pause();
  }
  return found.slice(0, MOST_TEAM_ROLES);
}
