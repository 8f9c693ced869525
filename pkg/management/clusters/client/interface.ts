/**
 * The interface to connected clusters: requests to their API servers, with the credentials of a checked
 * kubeconfig.
 */

import type { ClientRequest } from 'node:http';
import type { Status } from '../../../apimachinery/status.js';
import { StatusError } from '../../../apimachinery/errors.js';

/** The right to use the kubeconfig of a Cluster has ended. `why`: for users who may get the Cluster. */
export class KubeconfigRevoked extends StatusError {
  constructor(
    status: Status,
    readonly why: string,
  ) {
    super(status);
  }
}

/** A response, or an event of a watch, exceeds the limit. */
export class AnswerTooLarge extends StatusError {}

/** One request to a cluster's API server. */
export interface ClusterRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query and encoded names: `/api/v1/namespaces/default`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** The content type of the body; absent: application/json. */
  readonly contentType?: string;
  /** Accepted media types of JSON; absent: application/json. */
  readonly accept?: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  /** The maximum bytes of the response; absent: 4 MiB. */
  readonly maxBytes?: number;
  /** Called with the length of a response that is no failure, in bytes. */
  readonly measured?: (bytes: number) => void;
}

/** A request of a user that is forwarded as it is. */
export interface UserRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values alternate. No `Host` or `Authorization`. */
  readonly headers: readonly string[];
  /** Whether it may last as long as its client likes. */
  readonly lasting: boolean;
}

/** A watch of a cluster's API server. */
export interface ClusterWatch {
  /** With `watch=true` and `timeoutSeconds` of at most {@link MAX_WATCH_SECONDS}. */
  readonly path: string;
  readonly accept?: string;
  /** Events of more bytes are skipped, as users of the cluster decide how long they are; absent: none is. */
  readonly skipLarger?: number;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** The next event is read after this resolves. */
  readonly onEvent: (event: Readonly<Record<string, unknown>>) => void | Promise<void>;
}

/** A watch that does not end by itself is aborted some time after this. */
export const MAX_WATCH_SECONDS = 60;

export interface ClusterAnswer {
  /** HTTP status code. */
  readonly status: number;
  /**
   * The JSON object of the response; a `Status` for a failure, whose texts are cut to 200 printable
   * characters.
   */
  readonly object: Readonly<Record<string, unknown>>;
}

/** A connection to a cluster. */
export interface Connection {
  /** The URL of its API server, without a trailing slash. */
  readonly server: string;
  /** PEM of the authorities of its certificate; undefined: the system's. */
  readonly authority: string | undefined;
  /** It is the cluster that the server runs in, where people have names of their own. */
  readonly isLocal?: true;
  /**
   * Ends within five seconds, and returns a response of any status. Begins later if large responses of this
   * cluster came before it. A cluster that did not answer is asked by one request at a time, with back-off of
   * up to ten seconds: meanwhile others fail at once. Throws StatusError 504, naming the
   * cluster, if there is none, AnswerTooLarge with the same status, and 400 if no address of the server is
   * permitted.
   */
  request(request: ClusterRequest): Promise<ClusterAnswer>;
  /**
   * Resolves when the watch ends, with its status: 200, or that of the refusal. Throws StatusError as
   * `request`, also for an event that is too large.
   */
  watch(watch: ClusterWatch): Promise<number>;
  /**
   * Begins a request of a user, whose headers of impersonation are in `headers`: the caller writes its body and reads
   * its response. Rejects with StatusError 403 if the cluster does not let the kubeconfig impersonate that user, and
   * 503 and 504 if it cannot be begun.
   */
  open(request: UserRequest): Promise<ClientRequest>;
  /** Ends requests of users, and closes pooled connections. Other requests may still be made. */
  close(): void;
}

/** The agents of a cluster that are connected to this server. */
export interface ConnectedAgents {
  /** The oldest release among them; absent: none reports it. */
  readonly version?: string;
  /** Round-trip time of the fastest tunnel, in ms; absent: not measured yet. */
  readonly latencyMs?: number;
  /**
   * The largest difference of an agent's clock to this machine's, in ms, positive if ahead; absent: none
   * reports it.
   */
  readonly clockAheadMs?: number;
}

export interface ClusterClient {
  /**
   * Connects to the Cluster of this name by the current kubeconfig in its Secret. Throws StatusError: 404
   * without such a Cluster, 400 if its kubeconfig is missing or refused, naming the field, and
   * KubeconfigRevoked.
   */
  connect(cluster: string): Promise<Connection>;
  /**
   * Connects by a kubeconfig from elsewhere; `what` names it in errors (`virtual cluster "a"`); `server`:
   * replaces its URL. The caller closes the connection. Throws StatusError 400 if it is refused, naming the
   * field.
   */
  connectBy(what: string, kubeconfig: string, server?: string): Promise<Connection>;
  /** The agents of the Cluster of this name; undefined: none is connected. */
  agents(cluster: string): ConnectedAgents | undefined;
  /** Calls `changed` with the cluster whenever an agent connects or leaves. Returns what ends this. */
  followAgents(changed: (cluster: string) => void): () => void;
  /** Closes pooled connections. */
  close(): void;
}
