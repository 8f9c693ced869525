import type { Project } from '../../../api/management.svc.example/v1/project.js';
import type { KubeObject } from '../../../api/resource.js';
import { PROJECT_FINALIZER } from './names.js';
import { humanAge } from '../../apimachinery/table.js';
import { ageColumn } from '../../registry/object/columns.js';
import type { Strategy } from '../../registry/strategy.js';
import { descriptionColumn, displayNameColumn, textColumn } from '../columns.js';
import { giveOwner, keepOwner, ownerColumn } from '../sharing/owner.js';
import { projectEffects } from './effects.js';
import { validateProject } from './validation.js';

const membersOf = (object: Project) => object.spec?.members ?? [];

/**
 * Projects are owned by their creator by default. A project and its namespace are created together, and the namespace
 * is deleted first.
 */
export const projectStrategy: Strategy<Project> = {
  generation: true,
  columns: [
    displayNameColumn,
    ownerColumn('project'),
    textColumn<Project>('Members', 'Who is in the project.', (project) =>
      membersOf(project)
        .map(({ name }) => name)
        .join(', '),
    ),
    ageColumn(humanAge),
    descriptionColumn,
  ],
  prepareForCreate(object, { requester, now }) {
    giveOwner(object, requester.name);
    hold(object);
    object.status = {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          lastTransitionTime: now,
          reason: 'NamespaceReady',
          message: '',
        },
      ],
    };
  },
  prepareForUpdate(next, previous) {
    keepOwner(next, previous);
    if (previous.metadata.deletionTimestamp === undefined) hold(next);
  },
  validate: (object) => validateProject(object),
  effects: projectEffects,
};

/** Adds the finalizer, which clients cannot remove before the deletion. */
function hold({ metadata }: KubeObject): void {
  const { finalizers = [] } = metadata;
  if (!finalizers.includes(PROJECT_FINALIZER)) metadata.finalizers = [...finalizers, PROJECT_FINALIZER];
}
