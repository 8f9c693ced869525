import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { MAX_ITEMS, flag, text } from './fields.js';

const cluster = Type.Object(
  {
    name: text('Name of the cluster.'),
    displayName: text('Name shown in the UI.'),
    phase: text('Pending, Ready or Failed.'),
    online: flag('Whether the cluster answered when it was asked last.'),
  },
  { description: 'A connected cluster.' },
);

/** The clusters on which instances of the project of the path may be. */
export const ProjectClusters = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ProjectClusters',
  plural: 'projectclusters',
  namespaced: false,
  verbs: ['get'],
  description:
    'ProjectClusters lists the connected clusters on which instances of a project may be. It is answered and never stored.',
  schema: Type.Object({
    clusters: Type.Optional(
      Type.Array(cluster, {
        description: 'The clusters, by name.',
        maxItems: MAX_ITEMS,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  }),
});

export type ProjectClusters = ObjectOf<typeof ProjectClusters>;
