/** Keys by the time at which they are due: a binary heap. */
export interface DueQueue {
  readonly size: number;
  /** A key that is there already gets this time instead. */
  set(key: string, at: number): void;
  delete(key: string): void;
  /** Takes out the keys that are due, the earliest first. */
  due(now: number): Iterable<string>;
}

interface Item {
  readonly key: string;
  readonly at: number;
}

/** Times in milliseconds. */
export function createDueQueue(): DueQueue {
  const heap: Item[] = [];
  /** The time that counts; what the heap has otherwise is left over, and passed over. */
  const times = new Map<string, number>();

  return {
    get size() {
      return times.size;
    },
    set(key, at) {
      if (times.get(key) === at) return;
      times.set(key, at);
      push(heap, { key, at });
    },
    delete: (key) => void times.delete(key),
    *due(now) {
      for (let first = heap[0]; first !== undefined && first.at <= now; first = heap[0]) {
        pop(heap);
        if (times.get(first.key) !== first.at) continue;
        times.delete(first.key);
        yield first.key;
      }
    },
  };
}

function push(heap: Item[], item: Item): void {
  let at = heap.push(item) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent]!;
    if (above.at <= item.at) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = item;
}

function pop(heap: Item[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    const right = heap[child + 1];
    if (right !== undefined && right.at < heap[child]!.at) child += 1;
    const below = heap[child]!;
    if (below.at >= last.at) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
}
