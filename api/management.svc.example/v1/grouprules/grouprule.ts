import { Type } from '../../../type.js';
import { defineResource, type ObjectOf } from '../../../resource.js';
import { MAX_TEXT, prose, text } from '../fields.js';

/** Of the values that one rule names, and of one value in characters. */
const MAX_VALUES = 100;
const MAX_VALUE = 256;

/** Gives a place in a team, or a role in a project, to people by the claims of their identity provider. */
export const GroupRule = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'GroupRule',
  plural: 'grouprules',
  namespaced: false,
  description:
    'GroupRule makes people members of a team, or gives them a role in a project, by what their identity provider says of them. It is judged at each login, and ends with the login. It is deleted with its team or project.',
  schema: Type.Object({
    spec: Type.Object(
      {
        description: prose('Description of the rule.'),
        issuer: text('Issuer of the identity provider. Not set: the provider of any login.'),
        claim: Type.Optional(
          Type.String({
            description:
              'Claim to look at: its name, or the names of nested members with dots in between, such as realm_access.roles.',
            default: 'groups',
            minLength: 1,
            maxLength: MAX_TEXT,
          }),
        ),
        values: Type.Array(
          Type.String({
            description: 'The exact value, or its beginning and a *.',
            minLength: 1,
            maxLength: MAX_VALUE,
          }),
          {
            description: 'The rule applies to whoever has one of these values in the claim.',
            minItems: 1,
            maxItems: MAX_VALUES,
            'x-kubernetes-list-type': 'atomic',
          },
        ),
        team: text('Team that people become members of. It cannot be changed.'),
        project: text('Project that people get a role in. It cannot be changed.'),
        clusterRole: text(
          "ClusterRole that people have in the project's namespace, such as management-project-user. It cannot be changed. The writer of the rule must be allowed to bind it.",
        ),
      },
      { description: 'What the claim must be, and what it gives.' },
    ),
  }),
});

export type GroupRule = ObjectOf<typeof GroupRule>;
