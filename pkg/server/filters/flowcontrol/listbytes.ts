import type { RequestInfo } from '../../requestinfo.js';
import type { ResourceStores } from '../../resources.js';

/** Number of objects to estimate from. */
const SAMPLE = 100;

/** About how many bytes a list may answer: as if all objects were as large as the first. 0 where that is unknown. */
export function listBytes(stores: ResourceStores): (info: RequestInfo) => number {
  return (info) => {
    if (info.kind === 'path') return 0;
    const store = stores.find(info);
    if (store === undefined || store.cache.revision() === 0) return 0;
    const snapshot = store.cache.latest();
    const prefix = info.namespace === '' ? '' : `${info.namespace}/`;
    let [seen, bytes] = [0, 0];
    for (const { byteLength } of snapshot.entries(prefix)) {
      [seen, bytes] = [seen + 1, bytes + byteLength];
      if (seen === SAMPLE) break;
    }
    if (seen < SAMPLE) return bytes;
    const limit = Number(/(?:^|&)limit=([1-9]\d*)/.exec(info.query)?.[1] ?? Infinity);
    return (Math.min(limit, snapshot.count(prefix)) * bytes) / seen;
  };
}
