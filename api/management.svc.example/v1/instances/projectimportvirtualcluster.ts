import { Type } from '../../../type.js';
import { defineResource, type ObjectOf } from '../../../resource.js';
import { text } from '../fields.js';

/** Asks for a virtual cluster that exists in a connected cluster to be imported into the project of the path. */
export const ProjectImportVirtualCluster = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ProjectImportVirtualCluster',
  plural: 'projectimportvirtualclusters',
  namespaced: false,
  verbs: ['create'],
  description:
    'ProjectImportVirtualCluster imports an existing virtual cluster from a connected cluster into a project. It is answered and never stored.',
  schema: Type.Object({
    sourceVirtualCluster: Type.Optional(
      Type.Object(
        {
          name: text('Name of the virtual cluster.'),
          namespace: text('Namespace of the virtual cluster.'),
          cluster: text('Name of the connected cluster that the virtual cluster runs on.'),
          importName: text(
            "Name of the instance in the project. If it is absent, the virtual cluster's own name is used.",
          ),
        },
        { description: 'The virtual cluster to import into the project.', default: {} },
      ),
    ),
  }),
});

export type ProjectImportVirtualCluster = ObjectOf<typeof ProjectImportVirtualCluster>;
