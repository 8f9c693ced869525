/** When the last of many watches has the event of each write. */

const NEWLINE = 10;
const REVISION = Buffer.from('"resourceVersion":"');
const QUOTE = 34;
const NOTHING = Buffer.alloc(0);
const DELIVERY_TIMEOUT_MS = 60_000;

interface Event {
  /** Watches that have it. */
  count: number;
  /** When the newest of them got it, in ms. */
  at: number;
}

export class Deliveries {
  private readonly watches: number;
  private readonly events = new Map<string, Event>();
  private readonly begun = new Map<string, number>();
  private complete = 0;
  private wake: () => void = () => undefined;

  constructor(watches: number) {
    this.watches = watches;
  }

  /** For one watch: give it the pieces of its stream. */
  reader(): (chunk: Buffer) => void {
    let tail: Buffer = NOTHING;
    return (chunk) => {
      let rest = tail.length === 0 ? chunk : Buffer.concat([tail, chunk]);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        this.heard(revisionIn(rest.subarray(0, end)));
        rest = rest.subarray(end + 1);
      }
      tail = rest;
    };
  }

  /** A write that began at that time, in ms, and left the object at that revision. */
  wrote(revision: string, begunAt: number): void {
    this.begun.set(revision, begunAt);
  }

  /** Resolves when all watches have the events of all writes, with ms from each write's begin to its last watch, ascending. */
  async latencies(): Promise<number[]> {
    const until = performance.now() + DELIVERY_TIMEOUT_MS;
    while (this.complete < this.begun.size) {
      if (performance.now() > until)
        throw new Error(`${this.begun.size - this.complete} writes did not reach all watches`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 1000);
      });
    }
    const all = [...this.begun].map(([revision, begun]) => (this.events.get(revision)?.at ?? NaN) - begun);
    this.begun.clear();
    this.events.clear();
    this.complete = 0;
    return all.sort((one, other) => one - other);
  }

  private heard(revision: string): void {
    const event = this.events.get(revision) ?? { count: 0, at: 0 };
    event.count += 1;
    event.at = performance.now();
    this.events.set(revision, event);
    if (event.count < this.watches) return;
    this.complete += 1;
    this.wake();
  }
}

/** The first `resourceVersion` of an object's text; empty where it has none. */
export function revisionIn(text: Buffer): string {
  const at = text.indexOf(REVISION);
  if (at < 0) return '';
  const from = at + REVISION.length;
  return text.toString('latin1', from, text.indexOf(QUOTE, from));
}
