import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { accessRules } from './accessrule.js';
import { time } from '../../meta/v1/schema.js';
import { MAX_ITEMS, flag, names, prose, text } from './fields.js';

const claim = Type.Object(
  { name: text('Name of the claim.'), values: names('A value.', 'Its values.') },
  { description: 'A claim.' },
);

/** Written by the server alone. */
const login = Type.Object(
  {
    issuer: text('Issuer of the identity provider.'),
    claims: Type.Optional(
      Type.Array(claim, {
        description: 'What the provider said at the last login, of the claims that group rules look at.',
        maxItems: MAX_ITEMS,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    notes: names('One of them.', 'What was left out of the claims, and why.'),
    time: Type.Optional(
      time({ description: 'When the provider said so: at the login, or when it was asked again.' }),
    ),
    expires: Type.Optional(time({ description: 'When what the rules give ends, without another login.' })),
    ended: flag('Set when all logins of the person have ended: the rules give nothing until the next one.'),
    rules: names('Name of a rule.', 'Group rules that apply now.'),
    teams: names('Name of a team.', 'Teams that the user is a member of by these rules.'),
  },
  { description: 'The last login with the identity provider.' },
);

/** A person or a program that has access keys. The user's name is that of the object. */
export const User = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'User',
  plural: 'users',
  namespaced: false,
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'User is a person or a program that may have access keys. Requests made with a key of the user are made by the user of this name, in the groups management:user:<name>, management:team:<team> for each team of the user, management:authenticated and the groups listed here.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: prose('Description of the user.'),
          username: text('Name that the user logs in with.'),
          email: text('E-mail address of the user.'),
          subject: text('Subject by which the identity provider knows the user.'),
          groups: names(
            'Name of a group.',
            'Groups that the user is in beside those of the server. None may begin with system:.',
          ),
          disabled: Type.Optional(
            Type.Boolean({ description: 'If true, no key or token of the user grants access.' }),
          ),
          tokenGeneration: Type.Optional(
            Type.Integer({
              description:
                'Counted up, it ends all direct endpoint tokens that were issued to the user before.',
              format: 'int64',
              minimum: 0,
            }),
          ),
          access: Type.Optional(accessRules('user', {})),
        },
        { description: 'Desired state of the user.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        {
          teams: names('Name of a team.', 'Teams that the user is a member of.'),
          login: Type.Optional(login),
        },
        { description: 'Observed state of the user.', default: {} },
      ),
    ),
  }),
});

export type User = ObjectOf<typeof User>;
