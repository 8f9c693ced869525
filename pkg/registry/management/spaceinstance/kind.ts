import { SpaceInstance } from '../../../../api/management.svc.example/v1/spaceinstance.js';
import type { Registration } from '../../registry.js';
import { withAccess } from '../access/withaccess.js';
import { spaceInstanceStrategy } from './strategy.js';

export const kind: Registration = {
  definition: SpaceInstance,
  strategy: withAccess(SpaceInstance, spaceInstanceStrategy),
};
