import { MAX_ITEMS } from '../../../../api/management.svc.example/v1/fields.js';
import { GroupRuleReview } from '../../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { clusterScoped } from '../../../../api/resource.js';
import { textIn } from '../../../apimachinery/encoding/members.js';
import { timestamp } from '../../../registry/object/metadata.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementServices } from '../../services.js';
import { judgedClaims } from '../claims.js';
import { givenBy, isOfIssuer, RuleSet, type Met } from '../ruleset.js';
import { MOST_TEAM_ROLES, teamRoles } from './teamroles.js';

type Given = NonNullable<NonNullable<GroupRuleReview['status']>['given']>[number];

/** Tells what claims would get. Who may create reviews may see all rules. */
export const kind: VirtualResource<typeof GroupRuleReview, ManagementServices> = {
  definition: GroupRuleReview,
  async answer(review, context) {
    const { services } = context;
    const { claims, issuer = textIn(claims, 'iss') ?? '' } = review.spec;
    const rules = new RuleSet(services.objects.cached(GroupRule));
    const judged = judgedClaims(claims, rules.claims());
    const met = rules.met(judged.claims).sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    const given = met
      .filter(({ rule }) => isOfIssuer(rule, issuer) && hasTarget(rule, services))
      .map(givenOf);
    const others = met.filter(({ rule }) => !isOfIssuer(rule, issuer)).map(nameOf);
    review.metadata = { creationTimestamp: timestamp() };
    // What was sent is not told again.
    review.spec = { ...(issuer !== '' && { issuer }), claims: {} };
    const ofTeams = await teamRoles(new Set(given.flatMap(({ team = [] }) => team)), context);
    const notes = [
      ...judged.notes,
      ...(ofTeams.length < MOST_TEAM_ROLES
        ? []
        : [`Of the roles of teams, only ${MOST_TEAM_ROLES} are here.`]),
    ];
    review.status = {
      given: given.slice(0, MAX_ITEMS),
      ...(ofTeams.length > 0 && { teamRoles: ofTeams }),
      ...(notes.length > 0 && { notes }),
      ...(others.length > 0 && { otherIssuer: others }),
    };
    return review;
  },
};

const nameOf = ({ rule }: Met): string => rule.metadata.name ?? '';

/** A rule whose team or project has gone gives nothing, nor in a later one of that name. */
const hasTarget = (rule: GroupRule, { objects }: ManagementServices): boolean =>
  givenBy(rule).some((one) => {
    const [kind, name] = 'team' in one ? ([Team, one.team] as const) : ([Project, one.project] as const);
    return objects.known(kind, clusterScoped(name))?.metadata.uid === one.uid;
  });

function givenOf({ rule, claim, value }: Met): Given {
  const { team = '', project = '', clusterRole = '' } = rule.spec;
  const what = team === '' ? { project, clusterRole } : { team };
  return { rule: rule.metadata.name ?? '', claim, value, ...what };
}
