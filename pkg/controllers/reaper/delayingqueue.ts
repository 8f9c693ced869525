/** Keys by the time at which they are due. */
import sortedBtree from 'sorted-btree';

interface Item {
  readonly key: string;
  readonly at: number;
}

/** Times in milliseconds. The memory is that of one item for each key, however often its time changes. */
export class DelayingQueue {
  private readonly items = new sortedBtree.default<Item, undefined>(undefined, compareItems);
  private readonly byKey = new Map<string, Item>();

  get size(): number {
    return this.byKey.size;
  }

  /** Adds a key, or replaces its time. */
  set(key: string, at: number): void {
    if (this.byKey.get(key)?.at === at) return;
    this.delete(key);
    const item = { key, at };
    this.byKey.set(key, item);
    this.items.set(item, undefined);
  }

  delete(key: string): void {
    const item = this.byKey.get(key);
    if (item === undefined) return;
    this.byKey.delete(key);
    this.items.delete(item);
  }

  /** Removes and returns the due keys, the earliest first. */
  *due(now: number): Iterable<string> {
    for (let first = this.items.minKey(); first !== undefined; first = this.items.minKey()) {
      if (first.at > now) return;
      this.delete(first.key);
      yield first.key;
    }
  }
}

function compareItems(one: Item, other: Item): number {
  if (one.at !== other.at) return one.at - other.at;
  if (one.key === other.key) return 0;
  return one.key < other.key ? -1 : 1;
}
