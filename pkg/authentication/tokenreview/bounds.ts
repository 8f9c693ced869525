/** How much of the host's patience tokens take that nobody knows: wrong ones are free, and reviews of them are not. */
import type { StatusError } from '../../apimachinery/errors.js';
import { failure } from '../../apimachinery/errors.js';

/** Reviews under way at a time, in all and for one source, and how many of each wait for theirs, and how long. */
const UNDER_WAY = { all: 32, source: 8 };
const WAITING = { all: 512, source: 64 };
const PATIENCE_MS = 5_000;

/** Refusals: so many at once, and so many a second. */
const REFUSALS = { all: { burst: 500, rate: 100 }, source: { burst: 100, rate: 10 } };
const MOST_SOURCES = 10_000;

/** Further calls do nothing. */
export type Release = () => void;

export interface ReviewBounds {
  /** Rejects with StatusError 429. `source`: whence the token came. */
  enter(source: string): Promise<Release>;
  /** The host did not know a token. */
  refused(source: string): void;
}

/** Of one source. Forgotten when it is as if it had never been. */
interface Source {
  underWay: number;
  /** Refusals that it has left, at `at`. */
  left: number;
  at: number;
  readonly line: (() => void)[];
}

/** `now`: ms, monotonic. */
export function reviewBounds(now: () => number): ReviewBounds {
  const everybody = { left: REFUSALS.all.burst, at: now() };
  /** Those who asked last, last. */
  const sources = new Map<string, Source>();
  /** Sources in whose lines somebody waits, in the order of their turns. */
  const turns = new Set<Source>();
  let underWay = 0;
  let waiting = 0;

  function sourceOf(name: string): Source {
    const found = sources.get(name) ?? { underWay: 0, left: REFUSALS.source.burst, at: now(), line: [] };
    sources.delete(name);
    sources.set(name, found);
    if (sources.size > MOST_SOURCES) sources.delete(sources.keys().next().value as string);
    return found;
  }

  /** Where all together have used up theirs, those go on who have not used any. */
  function mayAsk(source: Source): boolean {
    const left = refill(source, REFUSALS.source, now());
    if (left < 1) return false;
    return left >= REFUSALS.source.burst || refill(everybody, REFUSALS.all, now()) >= 1;
  }

  const hasRoom = (source: Source): boolean => underWay < UNDER_WAY.all && source.underWay < UNDER_WAY.source;

  function take(source: Source): Release {
    underWay += 1;
    source.underWay += 1;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      underWay -= 1;
      source.underWay -= 1;
      letIn();
    };
  }

  function letIn(): void {
    for (const source of [...turns]) {
      if (underWay >= UNDER_WAY.all) return;
      if (!hasRoom(source)) continue;
      source.line[0]?.();
      // Its next turn is the last.
      if (turns.delete(source) && source.line.length > 0) turns.add(source);
    }
  }

  function wait(source: Source): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        source.line.splice(source.line.indexOf(granted), 1);
        waiting -= 1;
        if (source.line.length === 0) turns.delete(source);
      };
      const granted = (): void => {
        leave();
        if (mayAsk(source)) resolve(take(source));
        else reject(tooManyTokens());
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooManyTokens());
      }, PATIENCE_MS).unref();
      source.line.push(granted);
      turns.add(source);
      waiting += 1;
    });
  }

  return {
    async enter(name) {
      const source = sourceOf(name);
      if (!mayAsk(source)) throw tooManyTokens();
      if (source.line.length === 0 && hasRoom(source)) return take(source);
      if (waiting >= WAITING.all || source.line.length >= WAITING.source) throw tooManyTokens();
      return wait(source);
    },
    refused(name) {
      sourceOf(name).left -= 1;
      everybody.left -= 1;
    },
  };
}

function refill(
  bucket: { left: number; at: number },
  { burst, rate }: { readonly burst: number; readonly rate: number },
  now: number,
): number {
  bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * rate);
  bucket.at = now;
  return bucket.left;
}

/** 429, not 401: nothing is known of the token. */
function tooManyTokens(): StatusError {
  const message = 'too many tokens that are not known, please try again later';
  const error = failure('TooManyRequests', message, { retryAfterSeconds: 1 });
  error.headers['Retry-After'] = '1';
  return error;
}
