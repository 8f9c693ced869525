import { expect, test } from '@jest/globals';
import { ExportResultCode } from '@opentelemetry/core';
import { BasicTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { MAX_SPANS, SpanQueue } from './spanqueue.js';

type Export = Parameters<SpanExporter['export']>;

test('bounds the queue while the collector does not answer, and counts dropped spans', async () => {
  const sent: Export[] = [];
  const failures: unknown[] = [];
  const exporter: SpanExporter = {
    export: (...args) => void sent.push(args),
    shutdown: () => Promise.resolve(),
  };
  const queue = new SpanQueue(exporter, (error) => failures.push(error));
  const provider = new BasicTracerProvider({ spanProcessors: [queue] });
  const tracer = provider.getTracer('test');
  const spans = (count: number): void => {
    for (let at = 0; at < count; at++) tracer.startSpan('one').end();
  };
  spans(MAX_SPANS + 100);
  expect(queue.counts()).toEqual({ exported: 0, queueFull: 100, exportFailed: 0 });
  expect(sent.length).toBe(1);
  const [batch, done] = sent[0]!;
  done({ code: ExportResultCode.FAILED, error: new Error('away') });
  expect(queue.counts()).toEqual({ exported: 0, queueFull: 100, exportFailed: batch.length });
  expect(failures).toEqual([new Error('away')]);
  // The queue has room for the same number again.
  spans(batch.length + 1);
  expect(queue.counts().queueFull).toBe(101);
  const closed = provider.shutdown();
  for (let answered = 1; queue.counts().exported < MAX_SPANS;) {
    await Promise.resolve();
    for (const [, answer] of sent.slice(answered)) answer({ code: ExportResultCode.SUCCESS });
    answered = sent.length;
  }
  await closed;
  expect(queue.counts().exported).toBe(MAX_SPANS);
});
