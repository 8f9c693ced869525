/** Requests to the API server that this one stands behind, in aggregated mode. */

export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query: `/api/v1/namespaces?limit=500`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Of the body; absent: `application/json`. */
  readonly contentType?: string;
  /** What the answer is wanted as, a media type of JSON; absent: `application/json`. */
  readonly accept?: string;
  /** How long the whole exchange may take, with what is tried again, in milliseconds; absent: 10,000. */
  readonly timeoutMs?: number;
  /** Whether it may be done twice (a review changes nothing); absent: of GET alone. */
  readonly repeatable?: boolean;
  /** Ends the exchange: it rejects with {@link HostUnreachable}. */
  readonly signal?: AbortSignal;
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
  /**
   * Rejects with {@link HostUnreachable}. What was certainly not done (no connection, 429) is tried again while time
   * lasts; what may have been, only where it is repeatable.
   */
  send(this: void, request: HostRequest): Promise<HostAnswer>;
  /**
   * Events in order until the host ends the watch, which is a normal end, or `signal` is aborted. Throws
   * {@link HostUnreachable} where it breaks off, is not begun, or is silent for a minute and a half (so ask for
   * bookmarks); an answer that is no watch is one `ERROR` event with its Status. Read no faster than events are taken.
   * @param begun called when the host has begun to answer with events
   */
  watch(this: void, path: string, signal: AbortSignal, begun?: () => void): AsyncIterable<HostEvent>;
  /** Ends what is under way. */
  close(this: void): void;
}
