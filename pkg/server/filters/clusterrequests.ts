/** Requests that are passed on to a connected cluster: only tokens for that cluster count in them. */
const marked = new WeakMap<object, ClusterRequest>();

export interface ClusterRequest {
  /** The name of the Cluster; `''` if unknown. Determined at each call, as instances move. */
  cluster(this: void): string;
  /** In the words of the cluster's agent, with its query. */
  readonly url: string;
  /** The prefix of the agent's messages, and its replacement for clients; may be equal. */
  readonly prefix: { readonly agent: string; readonly client: string };
}

export const markClusterRequest = (request: object, as: ClusterRequest): void => void marked.set(request, as);

/** Undefined of every request that is answered here. */
export const clusterRequestOf = (request: object): ClusterRequest | undefined => marked.get(request);
