import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { accessRules } from './accessrule.js';
import { names, prose, text } from './fields.js';

/** Users who have rights together. */
export const Team = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'Team',
  plural: 'teams',
  namespaced: false,
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'Team is a set of users who have rights together. Requests of its members are made in the group management:team:<name>.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: prose('Description of the team.'),
          username: text('Name by which the team is known elsewhere.'),
          users: names('Name of a user.', 'Users who are members of the team.'),
          groups: names('Name of a group.', 'Groups whose users are members of the team.'),
          access: Type.Optional(accessRules('team', {})),
        },
        { description: 'Desired state of the team.', default: {} },
      ),
    ),
    status: Type.Optional(Type.Object({}, { description: 'Observed state of the team.', default: {} })),
  }),
});

export type Team = ObjectOf<typeof Team>;
