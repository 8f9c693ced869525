import { Type } from '../../../type.js';
import { defineResource, type ObjectOf } from '../../../resource.js';
import { text } from '../fields.js';

/** Asks for a space to be moved into the project of the path. */
export const ProjectMigrateSpaceInstance = defineResource({
  group: 'management.svc.example',
  version: 'v1',
  kind: 'ProjectMigrateSpaceInstance',
  plural: 'projectmigratespaceinstances',
  namespaced: false,
  verbs: ['create'],
  description:
    'ProjectMigrateSpaceInstance moves a space from one project to another. It is answered and never stored.',
  schema: Type.Object({
    sourceSpaceInstance: Type.Optional(
      Type.Object(
        {
          name: text('Name of the space.'),
          namespace: text('Namespace of the project that the space is in.'),
        },
        { description: 'The space to move into the project.', default: {} },
      ),
    ),
  }),
});

export type ProjectMigrateSpaceInstance = ObjectOf<typeof ProjectMigrateSpaceInstance>;
