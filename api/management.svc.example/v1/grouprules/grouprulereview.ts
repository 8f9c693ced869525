import { Type } from '../../../type.js';
import { freeForm } from '../../../meta/v1/schema.js';
import { defineResource, type ObjectOf } from '../../../resource.js';
import { MAX_DOCUMENT, MAX_ITEMS, names, text } from '../fields.js';

const given = Type.Object(
  {
    rule: text('Name of the rule.'),
    claim: text('Claim that the rule looks at.'),
    value: text('Value of the claim that the rule applies to.'),
    team: text('Team that it makes a member of.'),
    project: text('Project that it gives a role in.'),
    clusterRole: text('The role.'),
  },
  { description: 'What a rule gives.' },
);

const teamRole = Type.Object(
  {
    team: text('Team that a rule gives.'),
    project: text('Project in which the team is a member.'),
    clusterRole: text('The role that it has there.'),
  },
  { description: 'A role that a team has.' },
);

/** What would these claims get? */
export const GroupRuleReview = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'GroupRuleReview',
  plural: 'grouprulereviews',
  namespaced: false,
  verbs: ['create'],
  description:
    'GroupRuleReview tells which teams and roles a login with these claims would get, and by which rules. It is answered and not kept. Send claims and never a token: anybody can read the claims of a token.',
  schema: Type.Object({
    spec: Type.Object(
      {
        issuer: text('Issuer of the claims. Not set: their iss.'),
        claims: freeForm({
          description: 'Claims of an ID token, or of the answer of the user info endpoint.',
          'x-max-bytes': MAX_DOCUMENT,
        }),
      },
      { description: 'The claims.' },
    ),
    status: Type.Optional(
      Type.Object(
        {
          given: Type.Optional(
            Type.Array(given, {
              description: 'What the rules give, by their names.',
              maxItems: MAX_ITEMS,
            }),
          ),
          teamRoles: Type.Optional(
            Type.Array(teamRole, {
              description: 'The roles that these teams have in projects which the caller may get.',
              maxItems: MAX_ITEMS,
            }),
          ),
          notes: Type.Optional(
            Type.Array(Type.String({ description: 'One of them.', maxLength: MAX_DOCUMENT }), {
              description: 'What was left out of the claims, and why.',
              maxItems: MAX_ITEMS,
            }),
          ),
          otherIssuer: names('Name of a rule.', 'Rules that would apply to another issuer only.'),
        },
        { description: 'The answer.' },
      ),
    ),
  }),
});

export type GroupRuleReview = ObjectOf<typeof GroupRuleReview>;
