import { instanceStrategy } from '../instance.js';

export const virtualClusterInstanceStrategy = instanceStrategy('virtual cluster', true);
