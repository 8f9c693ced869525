import type { Registry } from 'prom-client';
import { exposeGauges, type CountSeries } from './series.js';
import type { SlotCounts } from '../filters/flowcontrol/flowcontrol.js';

/** Uses the names of kube-apiserver; the levels are `reads`, `writes` and `watches`. */
export function exposeSlots(registry: Registry, slots: () => SlotCounts): void {
  const series = (of: 'taken' | 'waiting') => (): CountSeries[] =>
    Object.entries(slots()).map(([level, counts]) => ({
      labels: { priority_level: level },
      value: counts[of],
    }));
  exposeGauges(
    registry,
    'apiserver_flowcontrol_current_executing_seats',
    'Slots that requests hold now; those of system:masters, health and metrics take none.',
    series('taken'),
  );
  exposeGauges(
    registry,
    'apiserver_flowcontrol_current_inqueue_requests',
    'Requests that wait for a slot now.',
    series('waiting'),
  );
}
