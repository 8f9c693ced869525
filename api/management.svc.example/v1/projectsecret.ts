import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { defineResource } from '../../resource.js';
import type { ObjectOf } from '../../resource.js';
import { accessRules } from './accessrule.js';
import { ownerField, secretDataField, text } from './fields.js';

/** A secret of a project, with data of its own or with those of a SharedSecret. */
export const ProjectSecret = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ProjectSecret',
  plural: 'projectsecrets',
  shortNames: ['ps'],
  namespaced: true,
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'ProjectSecret is a secret of a project. With the labels management.svc.example/sharedsecret-name and management.svc.example/sharedsecret-namespace and no data of its own it has the data of that SharedSecret, as they are now.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: text('Description of the secret.'),
          owner: ownerField('secret'),
          data: secretDataField('Secret data. Where the labels name a SharedSecret the server fills them.'),
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

export type ProjectSecret = ObjectOf<typeof ProjectSecret>;
