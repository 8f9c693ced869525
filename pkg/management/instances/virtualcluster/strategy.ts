import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { Strategy } from '../../../registry/strategy.js';
import { instanceStrategy } from '../instance.js';
import { claimEffects } from './claim.js';

export const virtualClusterInstanceStrategy: Strategy<VirtualClusterInstance> = {
  ...instanceStrategy('virtual cluster', true),
  effects: claimEffects,
};
