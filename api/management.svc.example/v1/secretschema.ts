import { Type } from '../../type.js';
import { conditionsSchema } from '../../meta/v1/condition.js';
import { accessRules } from './accessrule.js';
import { ownerField, secretDataField, text } from './fields.js';

/** What SharedSecret and ProjectSecret have. `data`: what their data are, in a sentence. */
export const secretSchema = (data: string) =>
  Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          displayName: text('Name shown in the UI.'),
          description: text('Description of the secret.'),
          owner: ownerField('secret'),
          data: secretDataField(data),
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
  });
