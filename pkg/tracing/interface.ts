/** Traces of requests (https://opentelemetry.io/docs/specs/otel/trace/). */

/** A span that has begun. */
export interface Span {
  /** The headers of a request to another server that make its spans children of this one (`traceparent`). */
  readonly headers: Readonly<Record<string, string>>;
  /** `code`: the status code of the other server. */
  end(code?: number): void;
}

/** A request of this server to another one. */
export interface OutgoingRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

/** The end of a request. */
export interface RequestEnd {
  /** The name of its span, with low cardinality. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Whether the server failed, not the client. */
  readonly failed: boolean;
  /** In milliseconds of `performance.now()`, as all times here. */
  readonly ended: number;
}

/** The trace of one request. Its methods do not throw. */
export interface RequestTrace {
  /** In hexadecimal, while its spans are exported; undefined until that is decided, and after the end. */
  readonly traceId: string | undefined;
  /**
   * Called once with the groups of the user: members of some groups may request sampling by `traceparent`.
   */
  authenticated(groups: readonly string[]): void;
  /** Begins a span; undefined: it is not exported. */
  begin(name: string, outgoing?: OutgoingRequest): Span | undefined;
  /** Adds a span that has ended. */
  record(name: string, began: number, ended: number): void;
  /** Later calls have no effect. */
  end(request: RequestEnd): void;
}

export interface RequestTracing {
  /** `headers`: of the request, with names in lower case. */
  begin(
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
    began: number,
  ): RequestTrace;
}

/** The numbers of spans by outcome. */
export interface SpanCounts {
  readonly exported: number;
  /** Dropped because the queue was full. */
  readonly queueFull: number;
  /** Dropped because the collector did not accept them. */
  readonly exportFailed: number;
}

/** The destination of traces. */
export interface Tracing extends RequestTracing {
  counts(): SpanCounts;
  /** Exports queued spans, for at most two seconds. Never rejects. */
  close(): Promise<void>;
}
