/** Reads the blocks of a backup or a segment. Each block is checked before it is returned. */
import {
  BACKUP_FILE,
  CHECKSUM_BYTES,
  checksumOf,
  firstChecksum,
  HEAD_BYTES,
  MAX_PAYLOAD_BYTES,
  type BlockType,
  type FileKind,
} from './format.js';

/** The file is damaged or incomplete. The message is a predicate: the name of the file goes before it. */
export class DamagedBackup extends Error {
  override readonly name = 'DamagedBackup';
}

export interface Block {
  readonly type: BlockType;
  readonly payload: Buffer;
  readonly checksum: Buffer;
  /** The offset of the block, in bytes. */
  readonly at: number;
}

/** Throws DamagedBackup, and what `source` throws. */
export async function* blocksIn(
  source: AsyncIterable<Buffer>,
  kind: FileKind = BACKUP_FILE,
): AsyncGenerator<Block> {
  const input = new Input(source);
  try {
    yield* checkedBlocks(input, kind);
  } finally {
    await input.close();
  }
}

async function* checkedBlocks(input: Input, kind: FileKind): AsyncGenerator<Block> {
  checkMagic(await input.read(kind.magic.length), kind);
  let checksum = firstChecksum(kind);
  for (;;) {
    const { at } = input;
    const head = await input.read(HEAD_BYTES);
    if (head.length === 0) return;
    const cut = (): DamagedBackup =>
      new DamagedBackup(`is cut short: it ends at byte ${input.at}, inside a block`);
    if (head.length < HEAD_BYTES) throw cut();
    const letter = head.toString('latin1', 0, 1);
    const type = kind.types.find((one) => one === letter);
    const length = head.readUInt32BE(1);
    if (type === undefined || length > MAX_PAYLOAD_BYTES)
      throw new DamagedBackup(`is damaged at byte ${at}: no block begins there`);
    const payload = await input.read(length);
    const found = await input.read(CHECKSUM_BYTES);
    if (payload.length < length || found.length < CHECKSUM_BYTES) throw cut();
    checksum = checksumOf(checksum, head, payload);
    if (!checksum.equals(found))
      throw new DamagedBackup(`is damaged: the checksum of the block at byte ${at} is wrong`);
    yield { type, payload, checksum, at };
  }
}

function checkMagic(line: Buffer, { magic, start, name }: FileKind): void {
  if (line.equals(magic)) return;
  if (line.length === 0) throw new DamagedBackup('is empty: it was cut short, or never written');
  if (line.length < start.length && line.equals(start.subarray(0, line.length)))
    throw new DamagedBackup('is cut short: it has no header');
  if (!line.subarray(0, start.length).equals(start))
    throw new DamagedBackup(`is no ${name} of management-apiserver`);
  if (line.length < magic.length) throw new DamagedBackup('is cut short: it has no header');
  throw new DamagedBackup('has a format that this release does not read: it is of a newer one, or damaged');
}

/** Reads exact numbers of bytes from a source of chunks. */
class Input {
  /** The number of bytes that were read. */
  at = 0;
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.chunks = source[Symbol.asyncIterator]();
  }

  /** Closes the source, for a reader that stops early. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  /** Returns fewer bytes at the end of the source. */
  async read(count: number): Promise<Buffer> {
    const parts = [this.rest];
    let have = this.rest.length;
    while (have < count) {
      const next = await this.chunks.next();
      if (next.done === true) break;
      parts.push(next.value);
      have += next.value.length;
    }
    const all = parts.length === 1 ? this.rest : Buffer.concat(parts);
    this.rest = all.subarray(count);
    const taken = all.subarray(0, count);
    this.at += taken.length;
    return taken;
  }
}
