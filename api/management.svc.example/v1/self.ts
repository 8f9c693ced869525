import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { MAX_TEXT, names, text } from './fields.js';
import { scopeSchema } from './scope.js';

const user = Type.Object(
  {
    name: text('Name of the User.'),
    displayName: text('Name shown in the UI.'),
    username: text('Name by which the user logs in.'),
    email: text('E-mail address of the user.'),
    subject: text('Name by which the identity provider knows the user.'),
    teams: names('Name of a team.', 'Teams that the user is a member of.'),
  },
  { description: 'The user that the caller is.' },
);

const team = Type.Object(
  {
    name: text('Name of the Team.'),
    displayName: text('Name shown in the UI.'),
    username: text('Name by which the team is known elsewhere.'),
  },
  { description: 'The team that the caller is.' },
);

/** Who is the caller, in the terms of this service? */
export const Self = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'Self',
  plural: 'selves',
  namespaced: false,
  verbs: ['create'],
  description:
    'Self tells the caller which user or team they are, and with which access key. It is answered and not kept.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          accessKey: Type.Optional(
            Type.String({
              description:
                'Another access key of the caller to tell of, instead of the one that is used: its name, or the key itself.',
              maxLength: MAX_TEXT,
              'x-sensitive': true,
            }),
          ),
        },
        { description: 'What is asked.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          user: Type.Optional(user),
          team: Type.Optional(team),
          subject: text('Name of the caller, who is neither a user nor a team of this service.'),
          accessKey: text('Name of the access key.'),
          accessKeyType: text('Type of the access key.'),
          accessKeyScope: Type.Optional(scopeSchema),
          groups: names('Name of a group.', 'Groups that the caller is in.'),
          projectNamespacePrefix: text('What the namespaces of projects begin with.'),
        },
        { description: 'The answer.', default: {} },
      ),
    ),
  }),
});

export type Self = ObjectOf<typeof Self>;
