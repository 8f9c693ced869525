/** What the answers of one cluster may take: bytes a second, and one large answer in memory at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TooLarge } from '../../../../api/client/body.js';
import { Collector } from './collector.js';

/** Parsing takes about 10 ms of the event loop for each MiB. */
const BYTES_PER_SECOND = 2 * 1024 * 1024;
const BURST = 4 * 1024 * 1024;
/** How often the bytes of a large answer count, as memory for it is returned late. */
const LARGE_WEIGHT = 4;
/** A longer answer, or event of a watch, waits for others of its cluster that are. */
const SMALL = 64 * 1024;
const NEWLINE = 0x0a;

export interface LineLimits {
  readonly maxBytes: number;
  /** Lines of more bytes are skipped, whatever their length. */
  readonly skipLarger?: number | undefined;
  readonly signal: AbortSignal;
}

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
    this.tokens -= bytes > SMALL ? LARGE_WEIGHT * bytes : bytes;
  }

  /**
   * Reads an answer completely and passes it to `parse` with its length in bytes. Throws TooLarge beyond
   * `maxBytes`, and the errors of the stream.
   */
  async read<T>(
    stream: AsyncIterable<Buffer>,
    maxBytes: number,
    parse: (text: string, bytes: number) => T,
  ): Promise<T> {
    const collected = new Collector();
    let release: (() => void) | undefined;
    try {
      for await (const chunk of stream) {
        if (collected.length + chunk.length > maxBytes) throw new TooLarge('the answer is too large');
        collected.add(chunk);
        if (collected.length > SMALL) release ??= await this.takeLarge();
      }
      return parse(collected.take(), collected.total);
    } finally {
      this.charge(collected.total);
      collected.end();
      release?.();
    }
  }

  /**
   * Passes each line of a watch to `deliver`, after earlier answers are paid for; skipped ones are empty. Throws
   * TooLarge for a line that exceeds `maxBytes`, the errors of the stream, and an AbortError. No line is held while
   * the next one is waited for, as what is held for long is collected late.
   */
  async readLines(
    stream: AsyncIterable<Buffer>,
    { maxBytes, skipLarger = Infinity, signal }: LineLimits,
    deliver: (line: string) => void | Promise<void>,
  ): Promise<void> {
    const begun = new Collector();
    let skipping = false;
    let release: (() => void) | undefined;
    const free = (): Promise<void> => {
      this.charge(begun.length);
      begun.end();
      release?.();
      release = undefined;
      return this.ready(signal);
    };
    try {
      for await (const chunk of stream) {
        let from = 0;
        for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
          begun.add(chunk.subarray(from, end));
          const length = begun.length + 1;
          await passOn(begun, skipping || begun.length > skipLarger, deliver);
          this.charge(length - begun.length);
          [skipping, from] = [false, end + 1];
          await free();
        }
        if (begun.length + chunk.length - from > maxBytes) throw new TooLarge('an event is too large');
        begun.add(chunk.subarray(from));
        skipping ||= begun.length > skipLarger;
        if (skipping) await free();
        else if (begun.length > SMALL) release ??= await this.takeLarge();
      }
    } finally {
      begun.end();
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

const passOn = (
  begun: Collector,
  skipped: boolean,
  deliver: (line: string) => void | Promise<void>,
): void | Promise<void> => deliver(skipped ? '' : begun.take());
