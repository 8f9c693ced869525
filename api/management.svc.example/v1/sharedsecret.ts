import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { stringMap } from '../../meta/v1/schema.js';
import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';

const text = (description: string) => Type.Optional(Type.String({ description }));
const names = (item: string, description: string) =>
  Type.Optional(
    Type.Array(Type.String({ description: item }), { description, 'x-kubernetes-list-type': 'atomic' }),
  );

const accessRule = Type.Object(
  {
    name: text('Optional name for the rule.'),
    verbs: names('A verb, such as get.', 'Verbs that apply to the secret; * stands for all verbs.'),
    subresources: names(
      'Name of a subresource.',
      'Subresources of the secret that the rule allows; * stands for all.',
    ),
    users: names(
      'Name of a user.',
      'Users who may access the secret with the verbs; * stands for everyone who is authenticated.',
    ),
    teams: names(
      'Name of a team.',
      'Teams who may access the secret with the verbs; * stands for all teams.',
    ),
  },
  { description: 'One rule: who may do what with the secret.' },
);

/** A global secret, shared across users, teams and connected clusters. */
export const SharedSecret = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'SharedSecret',
  plural: 'sharedsecrets',
  shortNames: ['ss'],
  namespaced: true,
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'SharedSecret holds sensitive key/value data that is shared across users, teams and connected clusters. Its access rules are transformed into roles and role bindings.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: text('Description of the secret.'),
          owner: Type.Optional(
            Type.Object(
              { user: text('User who owns the secret.'), team: text('Team that owns the secret.') },
              { description: 'Owner of the object, who may do everything with it. Defaults to the creator.' },
            ),
          ),
          data: Type.Optional(
            stringMap({
              'x-sensitive': true,
              description:
                "Secret data. Each key consists of alphanumeric characters, '-', '_' or '.'. Each value is a base64 string (RFC 4648 section 4) of the arbitrary data value.",
              value: 'The value of the key, as base64.',
            }),
          ),
          access: Type.Optional(
            Type.Array(accessRule, {
              description: 'Access rights for users and teams, at most 12 rules.',
              'x-kubernetes-list-type': 'atomic',
            }),
          ),
        },
        { description: 'Desired state of the secret.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        { conditions: Type.Optional(conditionsSchema) },
        { description: 'Observed state of the secret.', default: {} },
      ),
    ),
  }),
});

export type SharedSecret = ObjectOf<typeof SharedSecret>;
