/** The roles in projects that teams have as members, as far as the caller may get the projects. */
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { GroupRuleReview } from '../../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import { slices } from '../../../apimachinery/eventloop/slices.js';
import { MAX_ITEMS } from '../../../../api/management.svc.example/v1/fields.js';
import type { ManagementAnswerContext } from '../../services.js';
import { requestFor } from '../../../apimachinery/attributes.js';

export type Outcome = NonNullable<NonNullable<GroupRuleReview['status']>['given']>[number];

/** What rules give, followed by what their teams have: each role of each team once, by the first rule that gives the team. */
export async function withTeamRoles(
  given: readonly Outcome[],
  { user, services }: ManagementAnswerContext,
): Promise<Outcome[]> {
  const byTeam = new Map(
    [...given].reverse().flatMap((one) => (one.team === undefined ? [] : [[one.team, one]])),
  );
  const found: Outcome[] = [...given];
  if (byTeam.size === 0) return found;
  const pause = slices();
  for (const { metadata, spec } of services.objects.cached(Project)) {
    const roles = (spec?.members ?? []).flatMap(({ kind, name, clusterRole }) => {
      const by = kind === 'Team' ? byTeam.get(name) : undefined;
      return by === undefined ? [] : [{ ...by, project: metadata.name ?? '', clusterRole }];
    });
    const reading = requestFor('get', Project, metadata);
    if (roles.length > 0 && (await services.authorize(user, reading)).allowed) found.push(...roles);
    if (found.length > MAX_ITEMS) break;
    await pause();
  }
  return found.slice(0, MAX_ITEMS);
}
