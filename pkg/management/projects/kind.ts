import { Project } from '../../../api/management.svc.example/v1/project.js';
import type { StoredKind } from '../../registry/registry.js';
import { withAccess } from '../sharing/withaccess.js';
import { projectStrategy } from './strategy.js';

export const kind: StoredKind<typeof Project> = {
  definition: Project,
  strategy: withAccess(Project, projectStrategy),
};
