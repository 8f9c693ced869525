/** What this process encrypted a moment ago, and meets again in its own watch: it need not be decrypted. */

interface Written {
  readonly key: string;
  readonly encrypted: Buffer;
  readonly plain: Buffer;
}

const MAX_WRITES = 256;
const MAX_BYTES = 4 * 1024 * 1024;
/** The last bytes of a value, its tag, tell values apart. */
const TAG_BYTES = 16;

export class RecentWrites {
  private readonly writes = new Map<string, Written>();
  private bytes = 0;

  add(key: string, encrypted: Buffer, plain: Buffer): void {
    this.writes.set(tagOf(encrypted), { key, encrypted, plain });
    this.bytes += encrypted.length + plain.length;
    for (const [tag, oldest] of this.writes) {
      if (this.writes.size <= MAX_WRITES && this.bytes <= MAX_BYTES) return;
      this.writes.delete(tag);
      this.bytes -= oldest.encrypted.length + oldest.plain.length;
    }
  }

  /** What `encrypted` holds, if it is, byte by byte, what was written under this storage key. */
  find(key: string, encrypted: Buffer): Buffer | undefined {
    const written = this.writes.get(tagOf(encrypted));
    const same = written !== undefined && written.key === key && written.encrypted.equals(encrypted);
    return same ? written.plain : undefined;
  }
}

const tagOf = (encrypted: Buffer): string => encrypted.toString('latin1', encrypted.length - TAG_BYTES);
