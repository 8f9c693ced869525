import type { TProperties } from 'typebox';
import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { accessRules, syncedProjects } from './accessrule.js';
import { ownerField, prose, secretDataField, text } from './fields.js';

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
