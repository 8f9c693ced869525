/** Values that this process has just encrypted. When they come back in its own watch, they need not be decrypted. */

interface Written {
  readonly key: string;
  readonly encrypted: Buffer;
  readonly plain: Buffer;
}

const MAX_WRITES = 256;
const MAX_BYTES = 4 * 1024 * 1024;

export class RecentWrites {
  /** The last write of each storage key. */
  private readonly latest = new Map<string, Written>();
  /** A ring buffer of the writes in their order, from `oldest` to `next`. */
  private readonly written = new Array<Written | undefined>(MAX_WRITES).fill(undefined);
  private oldest = 0;
  private next = 0;
  private bytes = 0;

  add(key: string, encrypted: Buffer, plain: Buffer): void {
    if (this.next - this.oldest === MAX_WRITES) this.drop();
    const one = { key, encrypted, plain };
    this.written[this.next % MAX_WRITES] = one;
    this.next += 1;
    this.latest.set(key, one);
    this.bytes += bytesOf(one);
    while (this.bytes > MAX_BYTES) this.drop();
  }

  private drop(): void {
    const at = this.oldest % MAX_WRITES;
    const one = this.written[at];
    this.written[at] = undefined;
    this.oldest += 1;
    if (one === undefined) return;
    this.bytes -= bytesOf(one);
    if (this.latest.get(one.key) === one) this.latest.delete(one.key);
  }

  /** The decrypted value, if `encrypted` is identical to the last write of this storage key. */
  find(key: string, encrypted: Buffer): Buffer | undefined {
    const one = this.latest.get(key);
    return one?.encrypted.equals(encrypted) === true ? one.plain : undefined;
  }
}

const bytesOf = ({ encrypted, plain }: Written): number => encrypted.length + plain.length;
