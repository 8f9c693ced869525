import { Type } from 'typebox';

/** A list of `meta/v1 Condition`, one of each type. */
export const conditions = (description: string) =>
  Type.Array(
    Type.Object({
      type: Type.String({ description: 'Type of condition in CamelCase.' }),
      status: Type.String({ description: 'Status of the condition, one of True, False, Unknown.' }),
      observedGeneration: Type.Optional(
        Type.Integer({
          description: 'The metadata.generation that the condition was set based upon.',
          format: 'int64',
        }),
      ),
      lastTransitionTime: Type.Optional(
        Type.String({
          description: 'The last time the condition went from one status to another.',
          format: 'date-time',
        }),
      ),
      reason: Type.Optional(
        Type.String({ description: 'A programmatic identifier of the reason, in CamelCase.' }),
      ),
      message: Type.Optional(
        Type.String({ description: 'A message for people with details of the transition.' }),
      ),
    }),
    { description, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  );
