import { Type } from '../../type.js';
import { defineResource, type ObjectOf } from '../../resource.js';
import { flag, text } from './fields.js';
import { VirtualClusterInstanceKubeConfig } from './virtualclusterinstancekubeconfig.js';
import { clusterRefFields, instanceFields, instanceStatusFields } from '../instance.js';

const accessPoint = Type.Object(
  {
    ingress: Type.Optional(
      Type.Object(
        { enabled: flag('Whether the virtual cluster is reached through an ingress.') },
        { description: 'The ingress of the virtual cluster.' },
      ),
    ),
  },
  { description: 'How the virtual cluster is reached from outside.' },
);

const observed = Type.Object(
  {
    accessPoint: Type.Optional(
      Type.Object(
        {
          ingress: Type.Optional(
            Type.Object(
              { host: text('Host name, with its port where it is not 443.') },
              { description: 'The ingress of the virtual cluster.' },
            ),
          ),
        },
        { description: 'How the virtual cluster is reached from outside.' },
      ),
    ),
  },
  { description: 'The virtual cluster as it is.' },
);

/** A virtual cluster in a namespace of a connected cluster. */
export const VirtualClusterInstance = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'VirtualClusterInstance',
  plural: 'virtualclusterinstances',
  shortNames: ['vci'],
  namespaced: true,
  selectableFields: ['spec.clusterRef.cluster', 'status.phase'],
  subresources: [
    { name: 'status', verbs: ['get', 'patch', 'update'] },
    { name: 'kubeconfig', verbs: ['create', 'get'], object: VirtualClusterInstanceKubeConfig },
  ],
  description: 'VirtualClusterInstance is a virtual cluster of a project, in a connected cluster.',
  schema: Type.Object({
    spec: Type.Optional(
      Type.Object(
        {
          ...instanceFields('virtual cluster'),
          clusterRef: Type.Optional(
            Type.Object(
              {
                ...clusterRefFields('virtual cluster'),
                virtualCluster: text(
                  'Name of the virtual cluster in that namespace. The server chooses it; naming one takes the right to import from the cluster. Once set it does not change.',
                ),
              },
              { description: 'Where the virtual cluster is.' },
            ),
          ),
          accessPoint: Type.Optional(accessPoint),
        },
        { description: 'Desired state of the virtual cluster.', default: {} },
      ),
    ),
    status: Type.Optional(
      Type.Object(
        { ...instanceStatusFields('virtual cluster'), virtualCluster: Type.Optional(observed) },
        { description: 'Observed state of the virtual cluster.', default: {} },
      ),
    ),
  }),
});

export type VirtualClusterInstance = ObjectOf<typeof VirtualClusterInstance>;
