import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { stringMap } from '../../meta/v1/schema.js';
import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';
import { accessRules } from './accessrule.js';

const text = (description: string) => Type.Optional(Type.String({ description }));
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
          access: Type.Optional(accessRules('secret')),
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
