import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';
import { accessRules } from './accessrule.js';
import { ownerField, secretDataField, text } from './fields.js';

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
          owner: ownerField('secret'),
          data: secretDataField('Secret data.'),
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
