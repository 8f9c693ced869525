/** Buffers for large texts, which are used again: memory that is allocated for each is returned late. */
const spare: Buffer[] = [];
const MAX_SPARE = 2;
/** Texts that are not large, and all others. */
const SMALL_SIZES = [16 * 1024, 128 * 1024];
const SIZE = 4 * 1024 * 1024 + 64 * 1024;

/** Collects the bytes of a text. */
export class Collector {
  /** The bytes since the last text. */
  length = 0;
  /** The bytes of all texts. */
  total = 0;
  private buffer: Buffer | undefined;

  add(chunk: Buffer): void {
    const needed = this.length + chunk.length;
    const { buffer: before } = this;
    const buffer = before !== undefined && before.length >= needed ? before : this.grown(needed);
    chunk.copy(buffer, this.length);
    this.buffer = buffer;
    this.length = needed;
    this.total += chunk.length;
  }

  /** Returns the text, and begins another. */
  take(): string {
    const text = this.buffer?.toString('utf8', 0, this.length) ?? '';
    this.end();
    return text;
  }

  /** Gives its buffer back, without what may be a secret. */
  end(): void {
    const { buffer, length } = this;
    this.buffer = undefined;
    this.length = 0;
    if (buffer?.length === SIZE && spare.length < MAX_SPARE) spare.push(buffer.fill(0, 0, length));
  }

  private grown(needed: number): Buffer {
    const small = SMALL_SIZES.find((size) => needed <= size);
    const next = small === undefined ? largeBuffer(needed) : Buffer.allocUnsafe(small);
    this.buffer?.copy(next, 0, 0, this.length);
    return next;
  }
}

const largeBuffer = (needed: number): Buffer =>
  needed > SIZE ? Buffer.allocUnsafeSlow(needed) : (spare.pop() ?? Buffer.allocUnsafeSlow(SIZE));
