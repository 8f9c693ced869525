/** Traces of requests (https://opentelemetry.io/docs/specs/otel/trace/). */

/** A part of a request that has begun. */
export interface Span {
  /** What a request to another server carries, so that its spans belong to this one (`traceparent`). */
  readonly headers: Readonly<Record<string, string>>;
  /** `code`: the status code that another server answered with. */
  end(code?: number): void;
}

/** A request of this server to another one. */
export interface OutgoingRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** What is told of a request when it is over. */
export interface RequestEnd {
  /** Name of its span, of few different ones. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Whether the server failed, not the client. */
  readonly failed: boolean;
  /** In milliseconds of `performance.now()`, as all times here. */
  readonly ended: number;
}

/** The trace of one request. Nothing of it throws. */
export interface RequestTrace {
  /** In hexadecimal, where its spans are exported; undefined as long as that is not known, and when it is over. */
  readonly traceId: string | undefined;
  /** Tells once who makes the request: a few may say by `traceparent` that it is sampled. */
  authenticated(groups: readonly string[]): void;
  /** A part that begins now; undefined where it is not exported. */
  begin(name: string, outgoing?: OutgoingRequest): Span | undefined;
  /** A part that is over. */
  record(name: string, began: number, ended: number): void;
  /** Once; later calls have no effect. */
  end(request: RequestEnd): void;
}

export interface RequestTracing {
  /** `headers`: of the request, with names in lower case. */
  begin(
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    began: number,
  ): RequestTrace;
}

/** What became of spans. */
export interface SpanCounts {
  readonly exported: number;
  /** Not even queued, as the queue was full. */
  readonly queueFull: number;
  /** Given up: the collector did not take them. */
  readonly exportFailed: number;
}

/** Where requests are traced to. */
export interface Tracing extends RequestTracing {
  counts(): SpanCounts;
  /** Exports what is queued, for two seconds at most. Never rejects. */
  close(): Promise<void>;
}
