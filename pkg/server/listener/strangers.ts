/** Connections over which nobody has proved who they are: only so many, so that they keep out none who would. */
import { networkOf } from './networkof.js';

/** At a time, in all and from one address (of IPv6: one network of 64 bits). */
const MOST = { all: 1000, address: 200 };

/** One connection. */
export interface Stranger {
  readonly remoteAddress?: string | undefined;
  /** Whether a request is under way. */
  busy(): boolean;
  destroy(): void;
}

export interface Strangers {
  /** Where there are too many, ends another: of the same address or of the one with most, the oldest with no request. */
  add(stranger: Stranger): void;
  /** It is gone, or somebody proved over it who they are. */
  delete(stranger: Stranger): void;
  count(): number;
}

export function strangerTracking(most: typeof MOST = MOST): Strangers {
  /** By address, the oldest first. */
  const addresses = new Map<string, Set<Stranger>>();
  const known = new Map<Stranger, string>();

  function remove(stranger: Stranger): void {
    const address = known.get(stranger);
    if (address === undefined) return;
    known.delete(stranger);
    const same = addresses.get(address);
    if (same?.delete(stranger) === true && same.size === 0) addresses.delete(address);
  }

  function end(from: ReadonlySet<Stranger> | undefined): void {
    let oldest: Stranger | undefined;
    for (const one of from ?? []) {
      if (!one.busy()) {
        oldest = one;
        break;
      }
      oldest ??= one;
    }
    if (oldest === undefined) return;
    remove(oldest);
    oldest.destroy();
  }

  return {
    add(stranger) {
      const address = networkOf(stranger.remoteAddress ?? '');
      const same = addresses.get(address) ?? new Set<Stranger>();
      if (same.size >= most.address) end(same);
      else if (known.size >= most.all) end(largest(addresses.values()));
      addresses.set(address, same.add(stranger));
      known.set(stranger, address);
    },
    delete: remove,
    count: () => known.size,
  };
}

function largest(all: Iterable<ReadonlySet<Stranger>>): ReadonlySet<Stranger> | undefined {
  let most: ReadonlySet<Stranger> | undefined;
  for (const one of all) if (one.size > (most?.size ?? 0)) most = one;
  return most;
}
