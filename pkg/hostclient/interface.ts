/** Requests to the API server that this one stands behind, in aggregated mode. */

export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query: `/api/v1/namespaces?limit=500`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Of the body; absent: `application/json`. */
  readonly contentType?: string;
  /** How long the whole exchange may take, in milliseconds; absent: 10,000. */
  readonly timeoutMs?: number;
}

/** An answer, whatever its status. */
export interface HostAnswer {
  readonly status: number;
  /** The JSON of the body; undefined where it holds none. */
  readonly body: unknown;
  /** What `Retry-After` asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** One event of a watch, as the host sends it. */
export interface HostEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

/** The host did not answer, or not in time. `sent`: it may have done what it was asked. Holds no credentials. */
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

/** Connections are kept and shared; credentials that live in files are read again as they change. */
export interface HostClient {
  /** Rejects with {@link HostUnreachable}. */
  send(this: void, request: HostRequest): Promise<HostAnswer>;
  /**
   * Events in order until the host ends the watch, which is a normal end, or `signal` is aborted. Throws
   * {@link HostUnreachable} where it breaks off or is not begun; an answer that is no watch is one `ERROR` event with
   * its Status.
   */
  watch(this: void, path: string, signal: AbortSignal): AsyncIterable<HostEvent>;
  /** Ends what is under way. */
  close(this: void): void;
}
