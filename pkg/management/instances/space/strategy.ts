import { instanceStrategy } from '../instance.js';

export const spaceInstanceStrategy = instanceStrategy('space', false);
