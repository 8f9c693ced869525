import type { ControllerMetric } from '../interface.js';
import type { Collector } from './collect.js';

/** The size of the graph and the number of deletions. */
export function collectorMetrics({ graph, owners, counts }: Collector): readonly ControllerMetric[] {
  const one = (
    type: ControllerMetric['type'],
    name: string,
    help: string,
    value: () => number,
  ): ControllerMetric => ({
    type,
    name,
    help,
    series: () => [{ labels: {}, value: value() }],
  });
  return [
    one('gauge', 'garbagecollector_graph_objects', 'Objects with owners.', () => graph.size),
    one('gauge', 'garbagecollector_absent_owners', 'Owners known to be gone.', () => owners.known.size),
    one(
      'counter',
      'garbagecollector_deleted_total',
      'Objects deleted for want of an owner.',
      () => counts.deleted,
    ),
    one(
      'counter',
      'garbagecollector_orphaned_total',
      'Objects that lost a reference to an owner that orphaned them.',
      () => counts.orphaned,
    ),
  ];
}
