import { SpaceInstance } from '../../../../api/management.svc.example/v1/spaceinstance.js';
import type { StoredKind } from '../../../registry/registry.js';
import { withAccess } from '../../sharing/withaccess.js';
import { instanceStrategy } from '../instance.js';

export const kind: StoredKind<typeof SpaceInstance> = {
  definition: SpaceInstance,
  strategy: withAccess(SpaceInstance, instanceStrategy('space', false)),
};
