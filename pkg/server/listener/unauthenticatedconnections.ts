/** Limits connections without an authenticated request, so that they do not block others. */
import { networkOf } from './networkof.js';

/** At a time, in all and from one address (of IPv6: one network of 64 bits). */
const MAX = { all: 1000, address: 200 };

/** One connection. */
export interface UnauthenticatedConnection {
  readonly remoteAddress?: string | undefined;
  /** Whether a request is under way. */
  busy(): boolean;
  destroy(): void;
}

export interface UnauthenticatedConnections {
  /** Beyond a limit, closes another one: of the same address, or of the address with the most; the oldest idle one. */
  add(stranger: UnauthenticatedConnection): void;
  /** Call it when the connection is closed or authenticated. */
  delete(stranger: UnauthenticatedConnection): void;
  count(): number;
}

export function limitUnauthenticated(most: typeof MAX = MAX): UnauthenticatedConnections {
  /** By address, the oldest first. */
  const addresses = new Map<string, Set<UnauthenticatedConnection>>();
  const known = new Map<UnauthenticatedConnection, string>();

  function remove(stranger: UnauthenticatedConnection): void {
    const address = known.get(stranger);
    if (address === undefined) return;
    known.delete(stranger);
    const same = addresses.get(address);
    if (same?.delete(stranger) === true && same.size === 0) addresses.delete(address);
  }

  function end(from: ReadonlySet<UnauthenticatedConnection> | undefined): void {
    let oldest: UnauthenticatedConnection | undefined;
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
      const same = addresses.get(address) ?? new Set<UnauthenticatedConnection>();
      if (same.size >= most.address) end(same);
      else if (known.size >= most.all) end(largest(addresses.values()));
      addresses.set(address, same.add(stranger));
      known.set(stranger, address);
    },
    delete: remove,
    count: () => known.size,
  };
}

function largest(
  all: Iterable<ReadonlySet<UnauthenticatedConnection>>,
): ReadonlySet<UnauthenticatedConnection> | undefined {
  let most: ReadonlySet<UnauthenticatedConnection> | undefined;
  for (const one of all) if (one.size > (most?.size ?? 0)) most = one;
  return most;
}
