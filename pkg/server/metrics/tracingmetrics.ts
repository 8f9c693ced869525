import type { Registry } from 'prom-client';
import type { SpanCounts } from '../../tracing/interface.js';
import { exposeCounts } from './series.js';

/** Counts of exported and dropped spans. */
export function exposeTracing(registry: Registry, counts: () => SpanCounts): void {
  exposeCounts(
    registry,
    'management_apiserver_tracing_exported_spans_total',
    'Spans that the collector has taken.',
    () => [{ labels: {}, value: counts().exported }],
  );
  exposeCounts(
    registry,
    'management_apiserver_tracing_dropped_spans_total',
    'Spans that were not exported: the queue was full, or the collector did not take them.',
    () => {
      const { queueFull, exportFailed } = counts();
      return [
        { labels: { reason: 'queue_full' }, value: queueFull },
        { labels: { reason: 'export_failed' }, value: exportFailed },
      ];
    },
  );
}
