import type { Static } from 'typebox';
import { Type } from '../../type.js';
import { MAX_ITEMS } from './fields.js';

const limit = (description: string) => Type.Integer({ description, format: 'int64' });

const quotas = Type.Object(
  {
    objects: Type.Optional(
      Type.Unsafe<Record<string, number>>({
        type: 'object',
        maxProperties: MAX_ITEMS,
        additionalProperties: limit('How many objects of the resource there may be.'),
        description:
          "How many objects of a resource the project's namespace may hold, by the resource: configmaps, or sharedsecrets.management.svc.example.",
      }),
    ),
    instances: Type.Optional(limit('How many spaces and virtual clusters, together, the project may have.')),
    secretBytes: Type.Optional(
      limit(
        "How many bytes the values of all Secrets, SharedSecrets and ProjectSecrets in the project's namespace may have together, decoded.",
      ),
    ),
  },
  {
    description:
      'Limits of what the project may hold; what is not named is not limited. A write that would exceed one is refused with 403. Lowering a limit removes nothing.',
  },
);

/** `spec.quotas` of a Project. */
export const quotasField = Type.Optional(quotas);

export type Quotas = Static<typeof quotas>;
