import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { MAX_ITEMS, flag, names, text } from './fields.js';

const member = Type.Object(
  {
    kind: text('User, Team, or GroupRule for the people to whom a rule applies.'),
    name: text('Name of the user, the team or the rule; * stands for everyone who is authenticated.'),
    displayName: text('Name shown in the UI.'),
    owner: flag('Whether the project belongs to the member.'),
    clusterRoles: names(
      'Name of a ClusterRole.',
      "ClusterRoles that the member has in the project's namespace.",
    ),
  },
  { description: 'A user or a team of the project.' },
);

/** Who is in the project of the path. */
export const ProjectMembers = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ProjectMembers',
  plural: 'projectmembers',
  namespaced: false,
  verbs: ['get'],
  description:
    'ProjectMembers lists who is in a project, each with all of their roles. It is answered and never stored.',
  schema: Type.Object({
    members: Type.Optional(
      Type.Array(member, {
        description:
          'The owner, then the members in the order in which the project names them, then group rules.',
        maxItems: MAX_ITEMS,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  }),
});

export type ProjectMembers = ObjectOf<typeof ProjectMembers>;
