/** Traces by OTLP over HTTP, as protobuf. Load it only if tracing is enabled, as the libraries are large. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { TracingConfig } from './config.js';
import type { Tracing } from './interface.js';
import { requestTracing } from './requesttrace.js';
import { EXPORT_TIMEOUT_MS, SpanQueue } from './spanqueue.js';

const CLOSE_MS = 2000;
/** In characters, as clients choose the length of paths. */
const MAX_ATTRIBUTE = 1024;

/** `failed`: called for spans that the collector does not accept. */
export function openTracing(
  { url, ratio }: TracingConfig,
  version: string,
  failed: (error: unknown) => void,
): Tracing {
  const queue = new SpanQueue(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }), failed);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'management-apiserver',
      'service.version': version,
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': process.pid,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE, attributeCountLimit: 32, linkCountLimit: 1 },
    spanProcessors: [queue],
  });
  return {
    ...requestTracing(provider.getTracer('management-apiserver', version)),
    counts: () => queue.counts(),
    close: () =>
      Promise.race([provider.shutdown().catch(failed), setTimeout(CLOSE_MS, undefined, { ref: false })]),
  };
}
