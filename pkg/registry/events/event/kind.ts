import { Event } from '../../../../api/events.k8s.io/v1/event.js';
import type { Registration } from '../../registry.js';
import { eventForm } from './form.js';
import { eventStrategy } from './strategy.js';

export const kind: Registration = { definition: Event, strategy: eventStrategy, form: eventForm };
