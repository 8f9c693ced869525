import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../../api/resource.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../columns.js';
import type { Strategy } from '../../strategy.js';
import { descriptionColumn, displayNameColumn, textColumn } from '../columns.js';
import { giveOwner, keepOwner, ownerColumn } from '../owner.js';
import { validateProject } from './validation.js';

const membersOf = (object: KubeObject) => (object as Project).spec?.members ?? [];

/** Projects belong to their creator. */
export const projectStrategy: Strategy = {
  generation: true,
  columns: [
    displayNameColumn,
    ownerColumn('project'),
    textColumn('Members', 'Who is in the project.', (project) =>
      membersOf(project)
        .map(({ name }) => name)
        .join(', '),
    ),
    ageColumn(humanAge),
    descriptionColumn,
  ],
  prepareForCreate(object, { requester }) {
    object.status = {};
    giveOwner(object, requester.name);
  },
  prepareForUpdate: keepOwner,
  validate: (object) => validateProject(object as Project),
};
