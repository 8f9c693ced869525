import { MAX_ITEMS } from '../../../../api/management.svc.example/v1/fields.js';
import { GroupRuleReview } from '../../../../api/management.svc.example/v1/grouprules/grouprulereview.js';
import { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { textIn } from '../../../apimachinery/encoding/members.js';
import { timestamp } from '../../../registry/object/metadata.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementServices } from '../../services.js';
import { judgedClaims } from '../claims.js';
import { isOfIssuer, RuleSet, type Met } from '../ruleset.js';
import { MOST_TEAM_ROLES, teamRoles, type Outcome } from './teamroles.js';

/** Tells what claims would get. Who may create reviews may see all rules. */
export const kind: VirtualResource<typeof GroupRuleReview, ManagementServices> = {
  definition: GroupRuleReview,
  async answer(review, context) {
    const { services } = context;
    const { claims, issuer = textIn(claims, 'iss') ?? '' } = review.spec;
    const rules = new RuleSet(services.objects.cached(GroupRule));
    const judged = judgedClaims(claims, rules.claims());
    const met = rules.met(judged.claims).sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    const given = met.filter(({ rule }) => isOfIssuer(rule, issuer)).map(givenOf);
    const others = met.filter(({ rule }) => !isOfIssuer(rule, issuer)).map(nameOf);
    review.metadata = { creationTimestamp: timestamp() };
    // What was sent is not told again.
    review.spec = { ...(issuer !== '' && { issuer }), claims: {} };
    const ofTeams = await teamRoles(given, context);
    const notes = [
      ...judged.notes,
      ...(ofTeams.length < MOST_TEAM_ROLES
        ? []
        : [`Of the roles of teams, only ${MOST_TEAM_ROLES} are here.`]),
    ];
    review.status = {
      given: [...given, ...ofTeams].slice(0, MAX_ITEMS),
      ...(notes.length > 0 && { notes }),
      ...(others.length > 0 && { otherIssuer: others }),
    };
    return review;
  },
};

const nameOf = ({ rule }: Met): string => rule.metadata.name ?? '';

function givenOf({ rule, claim, value }: Met): Outcome {
  const { team = '', project = '', clusterRole = '' } = rule.spec;
  const what = team === '' ? { project, clusterRole } : { team };
  return { rule: rule.metadata.name ?? '', claim, value, ...what };
}
