/** The pages of LMDB's data format 2 in a file, each checked when it is read. Offsets are in bytes. */
import { readSync } from 'node:fs';

/** Thrown for a file that LMDB did not write. The message continues after the name of the file. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

/** A tree of pages, as LMDB describes it (`MDB_db`). */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  /** Branches, leaves and overflow pages together. */
  readonly pages: number;
  readonly entries: number;
  /** Undefined: the tree is empty. */
  readonly root: number | undefined;
}

export const TREE_BYTES = 48;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

export function readTree(bytes: Buffer): Tree {
  const number = (at: number): number => Number(bytes.readBigUInt64LE(at));
  const root = bytes.readBigUInt64LE(40);
  return {
    flags: bytes.readUInt16LE(4),
    depth: bytes.readUInt16LE(6),
    pages: number(8) + number(16) + number(24),
    entries: number(32),
    root: root === NO_PAGE ? undefined : Number(root),
  };
}

const HEADER_BYTES = 24;
export type PageType = 'branch' | 'leaf' | 'overflow';
const TYPES: Readonly<Record<PageType, number>> = { branch: 1, leaf: 2, overflow: 4 };

/** An entry of a branch or a leaf. */
export interface Node {
  readonly key: Buffer;
  readonly flags: number;
  /** In a branch: the child page; in a leaf: the length of the value. */
  readonly number: number;
  /** In a leaf: the value, or its location. */
  readonly data: Buffer;
}

const NODE_BYTES = 8;
const NODE_FLAGS = { overflow: 1, tree: 2 } as const;
export const isOverflow = ({ flags }: Node): boolean => (flags & NODE_FLAGS.overflow) !== 0;
export const isTree = ({ flags }: Node): boolean => (flags & NODE_FLAGS.tree) !== 0;

export interface FileOfPages {
  readonly descriptor: number;
  readonly pageSize: number;
  /** The size of the file. */
  readonly size: number;
  readonly lastPage: number;
  /** The newest transaction: every page is of this or an earlier one. */
  readonly transaction: number;
}

export class Pages {
  /** By page: whether it is in use. */
  private readonly taken: Uint8Array;

  constructor(private readonly file: FileOfPages) {
    this.taken = new Uint8Array(file.lastPage + 1);
    this.take(0, 2);
  }

  /** Marks pages as used. Throws DamagedFile for pages that are in use already or do not exist. */
  take(first: number, count = 1): void {
    const { lastPage } = this.file;
    if (!Number.isSafeInteger(first + count) || first < 0 || first + count - 1 > lastPage)
      throw new DamagedFile(`is damaged: page ${first} is in use, and the last one is ${lastPage}`);
    for (let page = first; page < first + count; page += 1) {
      if (this.taken[page] !== 0) throw new DamagedFile(`is damaged: page ${page} is in use twice`);
      this.taken[page] = 1;
    }
  }

  /** The bytes of a page that has not been read before. Throws DamagedFile. */
  read(page: number, type: PageType): Buffer {
    this.take(page);
    const bytes = this.bytesAt(page, 1);
    const isPage =
      Number(bytes.readBigUInt64LE(0)) === page &&
      Number(bytes.readBigUInt64LE(8)) <= this.file.transaction &&
      bytes.readUInt16LE(18) === TYPES[type];
    if (!isPage) throw new DamagedFile(`is damaged: page ${page} is not the ${type} that it should be`);
    return bytes;
  }

  /** The value in the overflow pages of `node`. Throws DamagedFile. */
  overflow(node: Node): { readonly pages: number; readonly start: Buffer; readonly value: () => Buffer } {
    if (node.data.length !== 24) throw new DamagedFile('is damaged: a value is nowhere');
    const page = Number(node.data.readBigUInt64LE(0));
    const pages = Math.floor((HEADER_BYTES - 1 + node.number) / this.file.pageSize) + 1;
    const first = this.read(page, 'overflow');
    if (first.readUInt32LE(20) !== pages || Number(node.data.readBigUInt64LE(16)) !== pages)
      throw new DamagedFile(`is damaged: the value at page ${page} does not have ${pages} pages`);
    this.take(page + 1, pages - 1);
    this.requireInFile(page, pages);
    return {
      pages,
      start: first.subarray(HEADER_BYTES),
      value: () => this.bytesAt(page, pages).subarray(HEADER_BYTES, HEADER_BYTES + node.number),
    };
  }

  /** The entries of a branch or a leaf. Throws DamagedFile if they are not packed as by LMDB. */
  nodes(page: number, bytes: Buffer, type: 'branch' | 'leaf'): readonly Node[] {
    const [lower, upper] = [bytes.readUInt16LE(20), bytes.readUInt16LE(22)];
    const room = bytes.length - HEADER_BYTES;
    const damaged = (): DamagedFile => new DamagedFile(`is damaged: the entries of page ${page} do not fit`);
    if (lower % 2 !== 0 || lower > upper || upper > room) throw damaged();
    let used = 0;
    const nodes: Node[] = [];
    for (let at = HEADER_BYTES; at < HEADER_BYTES + lower; at += 2) {
      const start = bytes.readUInt16LE(at) + HEADER_BYTES;
      if (start < HEADER_BYTES + upper || start + NODE_BYTES > bytes.length) throw damaged();
      const node = nodeAt(bytes, start, type);
      const end = start + NODE_BYTES + node.key.length + node.data.length;
      if (end > bytes.length) throw damaged();
      used += end - start + ((end - start) % 2);
      nodes.push(node);
    }
    if (used !== room - upper) throw damaged();
    return nodes;
  }

  private bytesAt(page: number, count: number): Buffer {
    this.requireInFile(page, count);
    const { descriptor, pageSize } = this.file;
    const bytes = Buffer.allocUnsafe(count * pageSize);
    readSync(descriptor, bytes, 0, bytes.length, page * pageSize);
    return bytes;
  }

  private requireInFile(page: number, count: number): void {
    const { size, pageSize, lastPage } = this.file;
    if ((page + count) * pageSize > size)
      throw new DamagedFile(`is cut short: it has ${size} bytes of ${(lastPage + 1) * pageSize}`);
  }
}

function nodeAt(bytes: Buffer, start: number, type: 'branch' | 'leaf'): Node {
  const low = bytes.readUInt32LE(start);
  const flags = bytes.readUInt16LE(start + 4);
  const keyStart = start + NODE_BYTES;
  const keyEnd = keyStart + bytes.readUInt16LE(start + 6);
  const key = bytes.subarray(keyStart, keyEnd);
  if (type === 'branch') return { key, flags: 0, number: low + flags * 2 ** 32, data: bytes.subarray(0, 0) };
  const dataEnd = keyEnd + ((flags & NODE_FLAGS.overflow) === 0 ? low : 24);
  // A subarray ends with the page: a longer entry would not have the length that it declares.
  if (dataEnd > bytes.length) return { key, flags, number: low, data: bytes };
  return { key, flags, number: low, data: bytes.subarray(keyEnd, dataEnd) };
}
