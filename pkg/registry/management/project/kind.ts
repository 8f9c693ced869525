import { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { Registration } from '../../registry.js';
import { withAccess } from '../access/withaccess.js';
import { projectStrategy } from './strategy.js';

export const kind: Registration = { definition: Project, strategy: withAccess(Project, projectStrategy) };
