/** How much of the limits of a kind users have used. */
import { createHash } from 'node:crypto';
import { objectIndex, type ObjectIndex } from '../../cache/watch/objectindex.js';
import type { Write } from '../../storage/interface.js';
import { storeOf, type ResourceStore } from '../../registry/resourcestore.js';
import { turnAt } from '../../registry/transaction/limitturn.js';
import { CACHE_TIMEOUT_MS } from '../../registry/transaction/waitforcache.js';
import { USER_LIMITS, type Counted, type Counter, type UserLimit } from '../limitedkinds.js';

/** Every write that adds to a limit also writes this record, so that of two concurrent writers one conflicts and retries. */
const RECORDS = 'registry/private/userlimits/';

export class UserUsage {
  private readonly counted: ObjectIndex<Counted>;

  constructor(
    readonly limit: UserLimit,
    private readonly store: ResourceStore,
    stores: readonly ResourceStore[],
  ) {
    const others = stores.filter(({ definition }) => limit.countedWith.includes(definition));
    this.counted = objectIndex([store.cache, ...others.map(({ cache }) => cache)], (object) => {
      const value = limit.count(object);
      return { keys: value.counters.map(({ id }) => id), value };
    });
  }

  /** The write to commit with the object; undefined if the cache does not catch up in time. */
  turn({ counters: [first] }: Counted): Promise<Write | undefined> {
    const id = createHash('sha256')
      .update(first?.id ?? '')
      .digest('hex');
    return turnAt(this.store, `${RECORDS}${this.limit.definition.plural}/${id}`);
  }

  /** Waits until the cache has the newest revision. */
  async current(): Promise<void> {
    await this.store.cache.reach(await this.store.newestRevision(), CACHE_TIMEOUT_MS);
  }

  /** How many objects count for the same as `added`. */
  held({ id }: Counter, { generation: newest = 0 }: Counted): number {
    const now = Date.now();
    let count = 0;
    for (const { ends = Infinity, generation = 0 } of this.counted.having(id).values())
      if (ends > now && generation >= newest) count += 1;
    return count;
  }
}

/** By kind. Kinds that are not served have none. */
export function userUsages(stores: readonly ResourceStore[]): ReadonlyMap<string, UserUsage> {
  return new Map(
    USER_LIMITS.flatMap((limit) => {
      const store = storeOf(stores, limit.definition);
      return store === undefined
        ? []
        : [[limit.definition.kind, new UserUsage(limit, store, stores)] as const];
    }),
  );
}
