import type { CacheEvent } from '../interface.js';

/** Computes `read` once for each event, which many watches and requests ask for. `read` depends on the event alone. */
export function perEvent<T>(read: (event: CacheEvent) => T): (event: CacheEvent) => T {
  const known = new WeakMap<CacheEvent, { readonly value: T }>();
  return (event) => {
    const found = known.get(event) ?? { value: read(event) };
    known.set(event, found);
    return found.value;
  };
}
