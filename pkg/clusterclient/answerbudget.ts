/** What the answers of one cluster may take: bytes a second, and one large answer in memory at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { TooLarge, chunksOf } from '../apimachinery/chunks.js';

/** Parsing takes about 10 ms of the event loop for each MiB. */
const BYTES_PER_SECOND = 4 * 1024 * 1024;
const BURST = 8 * 1024 * 1024;
/** A longer answer waits for others of its cluster that are. */
const SMALL = 64 * 1024;

export class AnswerBudget {
  private tokens = BURST;
  private filled: number;
  private large: Promise<void> = Promise.resolve();

  /** `now`: a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.filled = now();
  }

  /** Resolves when earlier answers are paid for. Rejects with an AbortError. */
  async ready(signal?: AbortSignal): Promise<void> {
    const wait = this.waitMs();
    if (wait > 0) await sleep(wait, undefined, { ref: false, ...(signal && { signal }) });
  }

  /** The milliseconds until {@link ready}. */
  waitMs(): number {
    const at = this.now();
    this.tokens = Math.min(BURST, this.tokens + ((at - this.filled) * BYTES_PER_SECOND) / 1_000);
    this.filled = at;
    return this.tokens >= 0 ? 0 : (-this.tokens * 1_000) / BYTES_PER_SECOND;
  }

  charge(bytes: number): void {
    this.tokens -= bytes;
  }

  /**
   * Reads an answer completely and passes it to `parse` with its length in bytes. Throws TooLarge beyond
   * `maxBytes`, and the errors of the stream.
   */
  async read<T>(stream: Readable, maxBytes: number, parse: (text: string, bytes: number) => T): Promise<T> {
    const chunks: Buffer[] = [];
    let length = 0;
    let release: (() => void) | undefined;
    try {
      for await (const chunk of chunksOf(stream)) {
        length += chunk.length;
        if (length > maxBytes) throw new TooLarge('the answer is too large');
        chunks.push(chunk);
        if (length > SMALL) release ??= await this.takeLarge();
      }
      return parse(Buffer.concat(chunks).toString('utf8'), length);
    } finally {
      this.charge(length);
      release?.();
    }
  }

  /** Answers are read in the order in which they became large. The timeout of each request bounds its turn. */
  private async takeLarge(): Promise<() => void> {
    const before = this.large;
    let release = (): void => undefined;
    this.large = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return release;
  }
}
