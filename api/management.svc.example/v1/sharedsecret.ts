import type { TProperties } from 'typebox';
import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { accessRules, syncedProjects } from './accessrule.js';
import { ownerField, prose, secretDataField, text } from './fields.js';
import { defineResource, type ObjectOf } from '../../resource.js';

/** What SharedSecret and ProjectSecret have. `data`: what their data are, in a sentence. `more`: fields of `spec` besides. */
export const secretSchema = <T extends TProperties>(data: string, more: T) =>
  Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: prose('Description of the secret.'),
          owner: ownerField('secret'),
          data: secretDataField(data),
          access: Type.Optional(accessRules('secret', { projects: syncedProjects })),
          ...more,
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
  });

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
  schema: secretSchema('Secret data.', {}),
});

export type SharedSecret = ObjectOf<typeof SharedSecret>;
