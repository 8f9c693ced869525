/**
 * Walks the trees of LMDB's data format 2, and checks that every page is in its place and none is missing.
 */
import {
  DamagedFile,
  isOverflow,
  isTree,
  readTree,
  TREE_BYTES,
  type Node,
  type Pages,
  type Tree,
} from './pages.js';

/** An entry of a table. */
interface Entry {
  readonly key: Buffer;
  /** The value, or the first of its overflow pages. */
  readonly start: Buffer;
  readonly value: () => Buffer;
}

/** Called with each entry in key order. */
export type Visit = (entry: Entry) => void;

/** The order of keys: by bytes, or as native numbers. */
type Order = (a: Buffer, b: Buffer) => number;
const asBytes: Order = (a, b) => a.compare(b);
export const asNumbers: Order = (a, b) =>
  a.length === 8 && b.length === 8 ? Number(a.readBigUInt64LE(0) - b.readBigUInt64LE(0)) : 0;

/** The tables of the store, by name. Throws DamagedFile. */
export function readTables(pages: Pages, main: Tree): ReadonlyMap<string, Tree> {
  const tables = new Map<string, Tree>();
  const walk = new Walk(pages, asBytes, ({ key, value }, node) => {
    if (!isTree(node) || node.number !== TREE_BYTES) throw new DamagedFile('is damaged: a table is none');
    tables.set(key.toString('latin1').replace(/\0$/, ''), readTree(value()));
  });
  walk.whole(main, 'the list of tables');
  return tables;
}

/** Throws DamagedFile. */
export function visitTree(pages: Pages, tree: Tree, name: string, visit: Visit, order = asBytes): void {
  new Walk(pages, order, visit).whole(tree, name);
}

class Walk {
  private seenPages = 0;
  private seenEntries = 0;
  /** The next key is greater, or equal if this is the bound of a branch. */
  private last: { readonly key: Buffer; readonly isBound: boolean } | undefined;

  constructor(
    private readonly pages: Pages,
    private readonly order: Order,
    private readonly visit: (entry: Entry, node: Node) => void,
  ) {}

  whole(tree: Tree, name: string): void {
    if (tree.root !== undefined) this.below(tree.root, tree.depth);
    if (this.seenPages !== tree.pages || this.seenEntries !== tree.entries)
      throw new DamagedFile(`is damaged: ${name} has ${this.seenEntries} entries of ${tree.entries}`);
  }

  /** @param levels 1: the page is a leaf */
  private below(page: number, levels: number): void {
    const type = levels > 1 ? 'branch' : 'leaf';
    const nodes = this.pages.nodes(page, this.pages.read(page, type), type);
    this.seenPages += 1;
    for (const [index, node] of nodes.entries()) {
      // The first key of a branch is unused: everything below it is less than the second.
      if (type === 'leaf' || index > 0) this.follow(page, node.key, type === 'branch');
      if (type === 'branch') this.below(node.number, levels - 1);
      else this.entry(node);
    }
  }

  private follow(page: number, key: Buffer, isBound: boolean): void {
    const order = this.last === undefined ? -1 : this.order(this.last.key, key);
    if (order > 0 || (order === 0 && this.last?.isBound !== true))
      throw new DamagedFile(`is damaged: the keys of page ${page} are not in order`);
    this.last = { key, isBound };
  }

  private entry(node: Node): void {
    this.seenEntries += 1;
    const { key, data } = node;
    if (!isOverflow(node)) return this.visit({ key, start: data, value: () => data }, node);
    const { pages, start, value } = this.pages.overflow(node);
    this.seenPages += pages;
    this.visit({ key, start, value }, node);
  }
}
