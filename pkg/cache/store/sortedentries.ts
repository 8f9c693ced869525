/** Entries by path in key order: a copy-on-write B+ tree, cloned in O(1). */
import sortedBtree from 'sorted-btree';
import type { Entry } from '../interface.js';

type Tree = InstanceType<typeof sortedBtree.default<string, Entry>>;

/** Members of the tree's nodes (of the pinned version) beyond its public interface: sizes of subtrees. */
interface TreeNode {
  readonly keys: readonly string[];
  readonly children?: readonly TreeNode[];
  size(): number;
}

export interface SortedEntries {
  readonly size: number;
  get(path: string): Entry | undefined;
  set(path: string, entry: Entry): void;
  delete(path: string): void;
  /** O(1). Later writes to either tree do not affect the other. */
  clone(): SortedEntries;
  /** The entries whose path begins with `prefix` (`''`, or ends with `/`), in order, from `start` (inclusive) on. */
  entries(prefix: string, start?: string): IterableIterator<Entry>;
  /** The number of entries that `entries` yields, in O(log n). */
  count(prefix: string, start?: string): number;
}

export function emptySortedEntries(): SortedEntries {
  return over(new sortedBtree.default<string, Entry>(undefined, compareSortKeys));
}

function over(tree: Tree): SortedEntries {
  return {
    get size() {
      return tree.size;
    },
    get: (path) => tree.get(sortKey(path)),
    set: (path, entry) => {
      tree.set(sortKey(path), entry);
    },
    delete: (path) => {
      tree.delete(sortKey(path));
    },
    clone: () => over(tree.clone()),
    entries: (prefix, start) => walk(tree, lowest(prefix, start), sortKeyEnd(prefix)),
    count: (prefix, start) => {
      const end = sortKeyEnd(prefix);
      const upTo = end === undefined ? tree.size : rank(tree, end);
      return Math.max(0, upTo - rank(tree, lowest(prefix, start)));
    },
  };
}

function lowest(prefix: string, start: string | undefined): string {
  const first = sortKey(prefix);
  if (start === undefined) return first;
  const from = sortKey(start);
  return from > first ? from : first;
}

function* walk(tree: Tree, low: string, end: string | undefined): IterableIterator<Entry> {
  const pair: (string | Entry)[] = [];
  for (const [key, entry] of tree.entries(low, pair)) {
    if (end !== undefined && key >= end) return;
    yield entry;
  }
}

/** The number of keys less than `key`. */
function rank(tree: Tree, key: string): number {
  // The package declares its root private; `TreeNode` has what is read here.
  let node = (tree as unknown as { readonly _root: TreeNode })._root;
  let before = 0;
  while (node.children !== undefined) {
    const at = firstNotLess(node.keys, key);
    for (const child of node.children.slice(0, at)) before += child.size();
    const next = node.children[at];
    if (next === undefined) return before;
    node = next;
  }
  return before + firstNotLess(node.keys, key);
}

function firstNotLess(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const BEYOND_ASCII_ORDER = /[\ud800-\uffff]/;
const MOVED = /[\ud800-\uffff]/g;

/**
 * A string whose order under `<` is the order of `key` by UTF-8 bytes, which is that of stores. JavaScript compares
 * strings by UTF-16 code units, and the surrogates of characters above U+FFFF are below U+E000. One-to-one; the key
 * itself unless it holds code units from U+D800 on.
 */
export function sortKey(key: string): string {
  return BEYOND_ASCII_ORDER.test(key) ? key.replace(MOVED, swapSurrogates) : key;
}

function swapSurrogates(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code >= 0xe000 ? code - 0x800 : code + 0x2000);
}

/** For keys made by {@link sortKey}. */
export function compareSortKeys(left: string, right: string): number {
  return left < right ? -1 : left === right ? 0 : 1;
}

/** The exclusive end of all sort keys that begin with `prefix`, which is `''` or ends with `/`; absent: no end. */
function sortKeyEnd(prefix: string): string | undefined {
  return prefix === '' ? undefined : `${sortKey(prefix).slice(0, -1)}0`;
}
