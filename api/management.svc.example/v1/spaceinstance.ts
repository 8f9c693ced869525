import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { clusterRefFields, instanceFields, instanceStatusFields } from '../instance.js';

/** A namespace in a connected cluster. */
export const SpaceInstance = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'SpaceInstance',
  plural: 'spaceinstances',
  shortNames: ['si'],
  namespaced: true,
  selectableFields: ['spec.clusterRef.cluster', 'status.phase'],
  subresources: [{ name: 'status', verbs: ['get', 'patch', 'update'] }],
  description:
    'SpaceInstance is a space of a project: a namespace in a connected cluster, made and removed with it.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          ...instanceFields('space'),
          clusterRef: Type.Optional(
            Type.Object(clusterRefFields('space'), { description: 'Where the space is.' }),
          ),
        },
        { description: 'Desired state of the space.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(instanceStatusFields('space'), {
        description: 'Observed state of the space.',
        default: {},
      }),
    ),
  }),
});

export type SpaceInstance = ObjectOf<typeof SpaceInstance>;
