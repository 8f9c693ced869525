import type { Strategy } from '../../strategy.js';
import { instanceStrategy } from '../instance.js';
import { claimEffects } from './claim.js';

export const virtualClusterInstanceStrategy: Strategy = {
  ...instanceStrategy('virtual cluster', true),
  effects: claimEffects,
};
