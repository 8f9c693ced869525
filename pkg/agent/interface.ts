/** The agent: gives users of the management API access to its cluster, within their scopes. */
import type { ClientRequest } from 'node:http';
import type { StatusError } from '../apimachinery/errors.js';
import type { Authentication } from '../authentication/interface.js';
import type { Target } from '../management/accesskeys/scope/interface.js';

/** The destination of a path of the agent. */
export type Destination =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'space'; readonly project: string; readonly name: string }
  | { readonly kind: 'virtualcluster'; readonly project: string; readonly name: string };

/** The location of an instance in the agent's cluster. */
export interface Place {
  readonly namespace: string;
  /** The name of a virtual cluster in its namespace. */
  readonly virtualCluster?: string;
}

/** The instances of projects in the agent's cluster, from memory. */
export interface Places {
  find(destination: Exclude<Destination, { readonly kind: 'cluster' }>): Place | undefined;
}

/** The age of the known revocations. */
export interface Freshness {
  /**
   * Ms since they were last known to be current; 0 while they are watched, Infinity before the first time.
   */
  age(now: number): number;
}

/** The requirements of authentication. */
export interface AuthenticationOptions {
  readonly authenticate: (authorization: string | undefined) => Authentication | Promise<Authentication>;
  readonly freshness: Freshness;
  /** The maximum age of known revocations, in ms, beyond which every token is refused. */
  readonly maxAgeMs: number;
}

/** A request to an API server. */
export interface UpstreamRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values alternate. */
  readonly headers: readonly string[];
  /** Whether the request may last as long as its client likes. */
  readonly lasting: boolean;
}

/** An API server, reached with the agent's own credentials. */
export interface Upstream {
  /** Begins a request; the caller writes its body. Rejects if the credentials cannot be read. */
  open(request: UpstreamRequest): Promise<ClientRequest>;
  close(): void;
}

/** A request that was admitted. */
export interface Admitted {
  readonly to: Target;
  readonly upstream: Upstream;
  /** The path for the API server. */
  readonly path: string;
  readonly query: string;
  /** The prefix of {@link path} in the client's URL. */
  readonly prefix: string;
  readonly lasting: boolean;
  /** Whether the destination still exists. */
  readonly still: () => boolean;
  /** The headers that name the user; names and values alternate. */
  readonly identity: readonly string[];
  /** Why a response is not forwarded, by its status; absent: each is. */
  readonly refusal?: (status: number) => StatusError | undefined;
  /** Changes the headers of a response before they are forwarded; absent: unchanged. */
  readonly answered?: (headers: Record<string, string | string[]>) => Record<string, string | string[]>;
}
