/** Fields that several kinds of the group share. */
import { Type } from 'typebox';
import type { Static } from 'typebox';

const names = (description: string, item: string) =>
  Type.Optional(Type.Array(Type.String({ description: item }), { description }));

/** `spec.owner`. */
export const ownerSchema = Type.Object(
  {
    user: Type.Optional(Type.String({ description: 'Name of the User that owns the object.' })),
    team: Type.Optional(Type.String({ description: 'Name of the Team that owns the object.' })),
  },
  {
    description:
      'The owner of the object, who may do everything with it. Defaults to whoever creates the object. Changing it takes being the owner, or the verb escalate.',
  },
);
export type Owner = Static<typeof ownerSchema>;

/** An entry of `spec.access`. */
export const accessRuleSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'An optional name for the rule.' })),
    verbs: names(
      'Verbs that the rule allows on the object. * stands for all verbs.',
      'A verb such as get, update or delete.',
    ),
    subresources: names(
      'Subresources of the object that the rule allows besides the object itself. * stands for all of them.',
      'Name of a subresource such as status.',
    ),
    users: names(
      'Users who may access the object with the verbs. * stands for everyone who is authenticated.',
      'Name of a User.',
    ),
    teams: names('Teams whose members may access the object with the verbs.', 'Name of a Team.'),
  },
  { description: 'Verbs on the object, given to users and teams.' },
);
export type AccessRule = Static<typeof accessRuleSchema>;
