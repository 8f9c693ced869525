/** The bounded queue of spans, and their outcomes. */
import { ExportResultCode } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { SpanCounts } from './interface.js';

/** The maximum of waiting spans and those being sent. */
export const MAX_SPANS = 2048;
const MAX_BATCH = 512;
/**
 * Longer than {@link EXPORT_TIMEOUT_MS}, after which the exporter fails by itself: one batch is sent at a
 * time.
 */
const BATCH_TIMEOUT_MS = 10_000;
export const EXPORT_TIMEOUT_MS = 5000;

/** Queues spans that have ended. When it is full, further ones are dropped. */
export class SpanQueue implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private held = 0;
  private exported = 0;
  private queueFull = 0;
  private exportFailed = 0;

  /** `failed`: called for each batch that the collector does not accept. */
  constructor(exporter: SpanExporter, failed: (error: unknown) => void) {
    this.batches = new BatchSpanProcessor(
      {
        export: (spans, done) =>
          exporter.export(spans, (result) => {
            const { length } = spans;
            this.held -= length;
            if (result.code === ExportResultCode.SUCCESS) this.exported += length;
            else {
              this.exportFailed += length;
              failed(result.error);
            }
            done(result);
          }),
        shutdown: () => exporter.shutdown(),
      },
      {
        maxQueueSize: MAX_SPANS,
        maxExportBatchSize: MAX_BATCH,
        exportTimeoutMillis: BATCH_TIMEOUT_MS,
      },
    );
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.held >= MAX_SPANS) {
      this.queueFull += 1;
      return;
    }
    this.held += 1;
    this.batches.onEnd(span);
  }

  counts(): SpanCounts {
    return { exported: this.exported, queueFull: this.queueFull, exportFailed: this.exportFailed };
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }
}
