import { Event } from '../../../../api/core/v1/event.js';
import type { Registration } from '../../registry.js';
import { eventStrategy } from './strategy.js';

export const kind: Registration = { definition: Event, strategy: eventStrategy };
