import { Type } from '../../type.js';
import type { Static } from 'typebox';
import { oneOf, time } from './schema.js';

/** The standard `meta/v1 Condition` with its limits. */
export const conditionSchema = Type.Object(
  {
    type: Type.String({
      description: 'type of condition in CamelCase or in foo.example.com/CamelCase.',
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    }),
    status: oneOf(['True', 'False', 'Unknown'], {
      description: 'status of the condition, one of True, False, Unknown.',
    }),
    observedGeneration: Type.Optional(
      Type.Integer({
        format: 'int64',
        minimum: 0,
        description:
          'observedGeneration represents the .metadata.generation that the condition was set based upon. For instance, if .metadata.generation is currently 12, but the .status.conditions[x].observedGeneration is 9, the condition is out of date with respect to the current state of the instance.',
      }),
    ),
    lastTransitionTime: time({
      description:
        'lastTransitionTime is the last time the condition transitioned from one status to another. This should be when the underlying condition changed. If that is not known, then using the time when the API field changed is acceptable.',
    }),
    reason: Type.String({
      description:
        "reason contains a programmatic identifier indicating the reason for the condition's last transition. The value should be a CamelCase string. This field may not be empty.",
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    }),
    message: Type.String({
      description:
        'message is a human readable message indicating details about the transition. This may be an empty string.',
      maxLength: 32768,
    }),
  },
  {
    description: 'Condition contains details for one aspect of the current state of this API Resource.',
    'x-component': 'io.k8s.apimachinery.pkg.apis.meta.v1.Condition',
  },
);

export type Condition = Static<typeof conditionSchema>;

/** `status.conditions`: one entry per type. */
export const conditionsSchema = Type.Array(conditionSchema, {
  description: "The latest observations of the object's state, one condition of each type.",
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});
