/** Marks requests into connected clusters. */
import { servedUrl, type Filter } from '../server/httpexchange.js';
import { readClusterPath, type ClusterPlace } from './clusterpaths.js';

/** `clusterOf`: the name of the Cluster of a place; `''`: there is none. */
export const markingClusterPaths =
  (clusterOf: (place: ClusterPlace) => string): Filter =>
  (exchange) => {
    const url = servedUrl(exchange);
    const path = url.startsWith('/kubernetes/') ? readClusterPath(url) : undefined;
    if (path === undefined) return false;
    const { place, prefix } = path;
    exchange.cluster = { name: () => clusterOf(place), url: path.url, prefix };
    return false;
  };
