/** The roles in projects that teams have as members, as far as the caller may get the projects. */
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { GroupRuleReview } from '../../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import { slices } from '../../../apimachinery/eventloop/slices.js';
import type { ManagementAnswerContext } from '../../services.js';
import { requestFor } from '../../../apimachinery/attributes.js';

export type Outcome = NonNullable<NonNullable<GroupRuleReview['status']>['given']>[number];

/** A claim's value may have a kilobyte, and stands beside each role. */
export const MOST_TEAM_ROLES = 500;

/** What the teams of rules have: each role of each team once, by the first rule that gives the team; the first {@link MOST_TEAM_ROLES}. */
export async function teamRoles(
  given: readonly Outcome[],
  { user, services }: ManagementAnswerContext,
): Promise<Outcome[]> {
  const byTeam = new Map(
    [...given].reverse().flatMap((one) => (one.team === undefined ? [] : [[one.team, one]])),
  );
  const found: Outcome[] = [];
  if (byTeam.size === 0) return found;
  const pause = slices();
  for (const { metadata, spec } of services.objects.cached(Project)) {
    const roles = (spec?.members ?? []).flatMap(({ kind, name, clusterRole }) => {
      const by = kind === 'Team' ? byTeam.get(name) : undefined;
      return by === undefined ? [] : [{ ...by, project: metadata.name ?? '', clusterRole }];
    });
    const reading = requestFor('get', Project, metadata);
    if (roles.length > 0 && (await services.authorize(user, reading)).allowed) found.push(...roles);
    if (found.length >= MOST_TEAM_ROLES) break;
    await pause();
  }
  return found.slice(0, MOST_TEAM_ROLES);
}
