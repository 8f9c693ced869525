import { Event } from '../../../../api/events.k8s.io/v1/event.js';
import type { Registration } from '../../registry.js';
import { eventForm } from './form.js';
import type { KubeObject } from '../../../../api/resource.js';
import { eventStrategy } from '../../core/event/strategy.js';
import { eventParts, type EventParts } from '../../core/event/validation.js';
import { validateAny, validateChange, validateNew } from './validation.js';

const core = (object: KubeObject): EventParts => eventParts(eventForm.stored(object));

/** Events of events.k8s.io/v1: printed like those of core/v1, with stricter validation. */
export const kind = {
  definition: Event,
  strategy: {
    generation: false,
    columns: (eventStrategy.columns ?? []).map((column) => ({
      ...column,
      cell: (object, now) => column.cell(core(object), now),
    })),
    validate: (object) => validateAny(core(object)),
    validateCreate: (object) => validateNew(core(object)),
    validateUpdate: (next, previous) => validateChange(core(next), core(previous)),
  },
  form: eventForm,
} satisfies Registration;
