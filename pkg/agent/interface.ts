/** The agent: it lets users of the management API into the cluster that it runs in, and nobody further than their scope. */
import type { ClientRequest } from 'node:http';
import type { Authentication } from '../authentication/interface.js';
import type { Target } from '../authorization/scope/interface.js';

/** What a path of the agent leads to. */
export type Destination =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'space'; readonly project: string; readonly name: string }
  | { readonly kind: 'virtualcluster'; readonly project: string; readonly name: string };

/** Where an instance is, in the cluster of this agent. */
export interface Place {
  readonly namespace: string;
  /** Of a virtual cluster: its name there. */
  readonly virtualCluster?: string;
}

/** Instances of projects that are in the cluster of this agent. Answers from memory. */
export interface Places {
  find(destination: Exclude<Destination, { readonly kind: 'cluster' }>): Place | undefined;
}

/** How current what revokes tokens is. */
export interface Freshness {
  /** Ms since it was last known to be current; 0 while it is followed, Infinity before it ever was. */
  age(now: number): number;
}

/** What it takes to say who asks. */
export interface AuthenticationOptions {
  readonly authenticate: (authorization: string | undefined) => Authentication | Promise<Authentication>;
  readonly freshness: Freshness;
  /** Older than this, in ms, what revokes tokens is not relied on, and nobody is let in. */
  readonly mostAgeMs: number;
}

/** What an API server is sent. */
export interface UpstreamRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Whether it holds its connection for as long as its client likes. */
  readonly lasting: boolean;
}

/** An API server, as the agent reaches it: with its own credentials. */
export interface Upstream {
  /** Nothing of a body is sent yet. Rejects where the credentials cannot be read. */
  open(request: UpstreamRequest): Promise<ClientRequest>;
  close(): void;
}

/** A request that may go on. */
export interface Admitted {
  readonly to: Target;
  readonly upstream: Upstream;
  /** In the API server's own words. */
  readonly path: string;
  readonly query: string;
  /** What is before {@link path} in the client's words. */
  readonly prefix: string;
  readonly lasting: boolean;
  /** Whether what the path leads to is still there. */
  readonly still: () => boolean;
  /** That name the user; names and values in turn. */
  readonly identity: readonly string[];
  /** What is made of the headers of an answer before they go on; absent: nothing. */
  readonly answered?: (headers: Record<string, string | string[]>) => Record<string, string | string[]>;
}
