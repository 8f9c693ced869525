/** The trace of one request, by OpenTelemetry. */
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Link,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { OutgoingRequest, RequestEnd, RequestTrace, RequestTracing, Span } from './interface.js';

/**
 * The groups whose `traceparent` may request sampling (`k8s.io/apiserver/pkg/endpoints/filters/traces.go`).
 */
const TRUSTED_GROUPS = ['system:masters', 'system:monitoring'];
/** The maximum spans of a request, such as a write with many conflicts. */
const MAX_PARTS = 64;

const propagator = new W3CTraceContextPropagator();

export const requestTracing = (tracer: Tracer): RequestTracing => ({
  begin: (headers, began) => {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    return new OpenTelemetryTrace(tracer, trace.getSpanContext(parent), began);
  },
});

class OpenTelemetryTrace implements RequestTrace {
  private readonly tracer: Tracer;
  private readonly began: number;
  /** Converts times of `performance.now()` to milliseconds since 1970, the same for all spans. */
  private readonly offset = Date.now() - performance.now();
  private parent: SpanContext | undefined;
  private decided = false;
  /** Set while the request is sampled and has not ended. */
  private span: OtelSpan | undefined;
  private context: Context = ROOT_CONTEXT;
  private parts = 0;

  /** `parent`: as the client says; used once the client is authenticated. */
  constructor(tracer: Tracer, parent: SpanContext | undefined, began: number) {
    this.tracer = tracer;
    this.began = began;
    this.parent = parent;
    if (parent === undefined) this.decide(undefined, []);
  }

  get traceId(): string | undefined {
    return this.span?.spanContext().traceId;
  }

  authenticated(groups: readonly string[]): void {
    if (this.decided || this.parent === undefined) return;
    if (groups.some((group) => TRUSTED_GROUPS.includes(group))) this.decide(this.parent, []);
    else this.decide(undefined, [{ context: this.parent }]);
  }

  begin(name: string, outgoing?: OutgoingRequest): Span | undefined {
    if (this.span === undefined || this.parts >= MAX_PARTS) return undefined;
    this.parts += 1;
    const kind = outgoing === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT;
    const attributes = outgoing && {
      'http.request.method': outgoing.method,
      'url.path': outgoing.path,
    };
    const startTime = this.time(performance.now());
    const span = this.tracer.startSpan(name, { kind, attributes, startTime }, this.context);
    const headers: Record<string, string> = {};
    if (outgoing !== undefined)
      propagator.inject(trace.setSpan(this.context, span), headers, defaultTextMapSetter);
    return {
      headers,
      end: (code) => {
        if (code !== undefined) span.setAttribute('http.response.status_code', code);
        span.end(this.time(performance.now()));
      },
    };
  }

  record(name: string, began: number, ended: number): void {
    if (this.span === undefined) return;
    const span = this.tracer.startSpan(name, { startTime: this.time(began) }, this.context);
    span.end(this.time(ended));
  }

  end({ name, attributes, failed, ended }: RequestEnd): void {
    const span = this.span;
    this.span = undefined;
    this.decided = true;
    if (span === undefined) return;
    span.updateName(name);
    span.setAttributes(attributes);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(this.time(ended));
  }

  private decide(parent: SpanContext | undefined, links: Link[]): void {
    this.decided = true;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const startTime = this.time(this.began);
    const span = this.tracer.startSpan('request', { kind: SpanKind.SERVER, links, startTime }, context);
    this.parent = undefined;
    if (!span.isRecording()) return;
    this.span = span;
    this.context = trace.setSpan(context, span);
  }

  private time(now: number): number {
    return this.offset + now;
  }
}
