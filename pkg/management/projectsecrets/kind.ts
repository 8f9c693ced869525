import { ProjectSecret } from '../../../api/management.svc.example/v1/projectsecret.js';
import type { StoredKind } from '../../registry/registry.js';
import { withAccess } from '../sharing/withaccess.js';
import { projectSecretStrategy } from './strategy.js';

export const kind: StoredKind<typeof ProjectSecret> = {
  definition: ProjectSecret,
  strategy: withAccess(ProjectSecret, projectSecretStrategy),
};
