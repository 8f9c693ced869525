/** The client of the host's API server, in aggregated mode. */

export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query: `/api/v1/namespaces?limit=500`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Content type of the body; absent: `application/json`. */
  readonly contentType?: string;
  /** Accepted media type, a form of JSON; absent: `application/json`. */
  readonly accept?: string;
  /** Timeout of the request with its retries, in milliseconds; absent: 10,000. */
  readonly timeoutMs?: number;
  /** Whether the request may be sent twice (a review has no side effects); absent: only for GET. */
  readonly repeatable?: boolean;
  /** Aborts the request, which then rejects with {@link HostUnreachable}. */
  readonly signal?: AbortSignal;
}

/** A response, whatever its status code. */
export interface HostAnswer {
  readonly status: number;
  /** The JSON of the body; undefined if it has none. */
  readonly body: unknown;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** `Date`, in ms since 1970; NaN: there is none. */
  readonly date?: number;
}

export const HOST_EVENTS = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;

/** One event of a watch, as the host sends it. */
export interface HostEvent {
  readonly type: (typeof HOST_EVENTS)[number];
  readonly object: unknown;
}

/** The host did not respond, or not in time. `sent`: it may have processed the request. Has no credentials. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
  constructor(
    message: string,
    readonly sent: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Connections are pooled; credentials in files are reloaded when they change. */
export interface HostClient {
  /**
   * Rejects with {@link HostUnreachable}. A request that was certainly not processed (no connection, 429) is retried
   * until the timeout; one that may have been, only if it is repeatable.
   */
  send(this: void, request: HostRequest): Promise<HostAnswer>;
  /**
   * Events in order until the host ends the watch, which is a normal end, or `signal` is aborted. Throws {@link
   * HostUnreachable} if the watch is interrupted, does not start, or is silent for a minute and a half (so request
   * bookmarks). A response that is not a watch is one `ERROR` event with its Status. Applies back-pressure.
   * @param begun called when the host has sent the response headers of the watch
   */
  watch(this: void, path: string, signal: AbortSignal, begun?: () => void): AsyncIterable<HostEvent>;
  /** Aborts all requests in flight. */
  close(this: void): void;
}
