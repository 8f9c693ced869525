/** Bounds TokenReviews of unknown tokens: a wrong token costs its sender nothing, and its review costs the host. */
import { failure, type StatusError } from '../../apimachinery/errors.js';

/** Reviews under way at a time, in all and for one source, and how many of each wait for theirs, and how long. */
const UNDER_WAY = { all: 32, source: 8 };
const WAITING = { all: 512, source: 64 };
const QUEUE_TIMEOUT_MS = 5_000;

/** Limits of refused tokens: a burst, and a rate a second. */
const REFUSALS = { all: { burst: 500, rate: 100 }, source: { burst: 100, rate: 10 } };
const MAX_SOURCES = 10_000;

/** Further calls do nothing. */
export type Release = () => void;

/** Refusals that are left, at `at`. */
interface Bucket {
  left: number;
  at: number;
}

/** Of one source. Forgotten when it is as if it had never been. */
interface Source extends Bucket {
  underWay: number;
  readonly queue: (() => void)[];
}

export class ReviewBounds {
  private readonly everybody: Bucket;
  /** Least recently used first. */
  private readonly sources = new Map<string, Source>();
  /** Sources with queued reviews, in the order of their turns. */
  private readonly turns = new Set<Source>();
  private underWay = 0;
  private waiting = 0;

  /** `now`: ms, monotonic. */
  constructor(private readonly now: () => number) {
    this.everybody = { left: REFUSALS.all.burst, at: now() };
  }

  /** Rejects with StatusError 429. `source`: whence the token came. */
  async enter(name: string): Promise<Release> {
    const source = this.sourceOf(name);
    if (!this.mayAsk(source)) throw tooManyTokens();
    if (source.queue.length === 0 && this.hasRoom(source)) return this.take(source);
    if (this.waiting >= WAITING.all || source.queue.length >= WAITING.source) throw tooManyTokens();
    return this.wait(source);
  }

  /** The host did not know a token. */
  refused(name: string): void {
    this.sourceOf(name).left -= 1;
    this.everybody.left -= 1;
  }

  private sourceOf(name: string): Source {
    const { sources } = this;
    const found = sources.get(name) ?? newSource(this.now());
    sources.delete(name);
    sources.set(name, found);
    if (sources.size > MAX_SOURCES) sources.delete(sources.keys().next().value!);
    return found;
  }

  /** When the total allowance is used up, sources without refusals go on. */
  private mayAsk(source: Source): boolean {
    const left = refill(source, REFUSALS.source, this.now());
    if (left < 1) return false;
    return left >= REFUSALS.source.burst || refill(this.everybody, REFUSALS.all, this.now()) >= 1;
  }

  private hasRoom(source: Source): boolean {
    return this.underWay < UNDER_WAY.all && source.underWay < UNDER_WAY.source;
  }

  private take(source: Source): Release {
    this.underWay += 1;
    source.underWay += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.underWay -= 1;
      source.underWay -= 1;
      this.dequeue();
    };
  }

  private dequeue(): void {
    for (const source of [...this.turns]) {
      if (this.underWay >= UNDER_WAY.all) return;
      if (!this.hasRoom(source)) continue;
      source.queue[0]?.();
      // Its next turn is the last.
      if (this.turns.delete(source) && source.queue.length > 0) this.turns.add(source);
    }
  }

  private wait(source: Source): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        source.queue.splice(source.queue.indexOf(granted), 1);
        this.waiting -= 1;
        if (source.queue.length === 0) this.turns.delete(source);
      };
      const granted = (): void => {
        leave();
        if (this.mayAsk(source)) resolve(this.take(source));
        else reject(tooManyTokens());
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooManyTokens());
      }, QUEUE_TIMEOUT_MS).unref();
      source.queue.push(granted);
      this.turns.add(source);
      this.waiting += 1;
    });
  }
}

function newSource(now: number): Source {
  return { underWay: 0, left: REFUSALS.source.burst, at: now, queue: [] };
}

function refill(
  bucket: Bucket,
  { burst, rate }: { readonly burst: number; readonly rate: number },
  now: number,
): number {
  bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * rate);
  bucket.at = now;
  return bucket.left;
}

/** 429, not 401, as the token was not reviewed. */
function tooManyTokens(): StatusError {
  const message = 'too many unknown tokens, please try again later';
  return failure('TooManyRequests', message, { retryAfterSeconds: 1 });
}
