import type { Static } from 'typebox';
import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { MAX_ITEMS, text } from './fields.js';

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

const number = (description: string) => Type.Optional(Type.Integer({ description, format: 'int64' }));

const usage = Type.Object(
  {
    name: text('instances, secretBytes, or a resource: configmaps, or sharedsecrets.management.svc.example.'),
    used: number('How much of it the project has.'),
    hard: number('The limit of it, of spec.quotas.'),
  },
  { description: 'A quota and what counts for it.' },
);

/** What the project of the path has of what its quotas limit. */
export const ProjectUsage = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ProjectUsage',
  plural: 'projectusages',
  namespaced: false,
  verbs: ['get'],
  description:
    'ProjectUsage lists the quotas of a project, each with its use. It is answered and never stored.',
  schema: Type.Object({
    usage: Type.Optional(
      Type.Array(usage, {
        description: 'The quotas of the project; what is not limited is not listed.',
        maxItems: MAX_ITEMS,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  }),
});

export type ProjectUsage = ObjectOf<typeof ProjectUsage>;
