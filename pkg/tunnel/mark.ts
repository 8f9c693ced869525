/** Marks requests into connected clusters before any other filter. */
import type { Handler } from '../server/httpexchange.js';
import { readClusterPath, type ClusterPlace } from './clusterpaths.js';

/** `clusterOf`: the name of the Cluster of a place; `''`: there is none. */
export function withClusterPaths(handler: Handler, clusterOf: (place: ClusterPlace) => string): Handler {
  return (exchange) => {
    const { url = '' } = exchange.request;
    const path = url.startsWith('/kubernetes/') ? readClusterPath(url) : undefined;
    if (path !== undefined) {
      const { place, prefix } = path;
      exchange.cluster = { name: () => clusterOf(place), url: path.url, prefix };
    }
    return handler(exchange);
  };
}
