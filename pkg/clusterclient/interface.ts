/** The seam to connected clusters: requests to their API servers, with the credentials of a checked kubeconfig. */

import type { Status } from '../apimachinery/status.js';
import { StatusError } from '../apimachinery/errors.js';

/** The right that the kubeconfig of a Cluster is used by has ended. `why`: for those who may get the Cluster. */
export class KubeconfigRevoked extends StatusError {
  constructor(
    status: Status,
    readonly why: string,
  ) {
    super(status);
  }
}

/** An answer, or an event of a watch, is more than is read. */
export class AnswerTooLarge extends StatusError {}

/** One request to a cluster's API server. */
export interface ClusterRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query; names in it are encoded: `/api/v1/namespaces/default`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Of the body; absent: application/json. */
  readonly contentType?: string;
  /** The media types to answer with, in JSON; absent: application/json. */
  readonly accept?: string;
}

/** A watch of a cluster's API server. */
export interface ClusterWatch {
  /** With `watch=true` and `timeoutSeconds` of at most {@link MAX_WATCH_SECONDS}. */
  readonly path: string;
  readonly accept?: string;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** The next event is read when this resolves. */
  readonly onEvent: (event: Readonly<Record<string, unknown>>) => void | Promise<void>;
}

/** A watch without an end by itself is cut off some time after this. */
export const MAX_WATCH_SECONDS = 60;

export interface ClusterAnswer {
  /** HTTP status code. */
  readonly status: number;
  /** The JSON object of the answer; a `Status` where it failed. */
  readonly object: Readonly<Record<string, unknown>>;
}

/** A cluster that can be asked. */
export interface Connection {
  /** URL of its API server, without a slash at the end. */
  readonly server: string;
  /** PEM of the authorities of its certificate; undefined: those of the system. */
  readonly authority: string | undefined;
  /**
   * Ends within five seconds. Answers of any status are answers. Throws StatusError 504, naming the cluster, where none
   * comes, AnswerTooLarge with the same status, and 400 where the server has no address that may be connected to.
   */
  request(request: ClusterRequest): Promise<ClusterAnswer>;
  /**
   * Resolves when the watch ends, with its status: 200, or that of the refusal. Throws StatusError as `request`, also where
   * an event is too large.
   */
  watch(watch: ClusterWatch): Promise<number>;
  /** Closes what is kept open; requests may still be made. */
  close(): void;
}

/** The agents of a cluster that are connected to this server. */
export interface ConnectedAgents {
  /** The oldest release among them; absent: none says so. */
  readonly version?: string;
  /** Round-trip time of the fastest tunnel, in ms; absent: not measured yet. */
  readonly latencyMs?: number;
  /** What the clock of an agent's machine is ahead of this one's, in ms, of the one furthest off; absent: none tells. */
  readonly clockAheadMs?: number;
}

export interface ClusterClient {
  /**
   * The Cluster of this name, by the kubeconfig in its Secret as it is now. Throws StatusError: 404 without such a
   * Cluster, 400 where its kubeconfig is missing or refused, naming the field, and KubeconfigRevoked.
   */
  connect(cluster: string): Promise<Connection>;
  /**
   * By a kubeconfig that was found elsewhere; `what` names it in errors (`virtual cluster "a"`); `server`: the
   * URL to use instead of the one in it. The caller closes it.
   * Throws StatusError 400 where it is refused, naming the field.
   */
  connectBy(what: string, kubeconfig: string, server?: string): Promise<Connection>;
  /** Of the Cluster of this name; undefined: none is connected. */
  agents(cluster: string): ConnectedAgents | undefined;
  /** Closes what is kept open. */
  close(): void;
}
