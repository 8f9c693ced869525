import type { GroupRuleReview } from './v1/grouprules/grouprulereview.js';

type Answer = NonNullable<GroupRuleReview['status']>;
type Given = NonNullable<Answer['given']>[number];

/** What rules give, then the roles of the teams that they give, each by the first rule that gives the team. */
export const givenByRules = ({ given = [], teamRoles = [] }: Answer): readonly Given[] => [
  ...given,
  ...teamRoles.map((role) => ({ ...given.find(({ team }) => team === role.team), ...role })),
];
