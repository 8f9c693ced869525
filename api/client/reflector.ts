import { ApiError, type Status } from './apierror.js';
import { membersOf } from '../members.js';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Takes one event of a watch. Throws for an event of type ERROR: the watch is over. */
export type TakeEvent<T> = (type: string, object: T) => void | Promise<void>;

export interface ReflectorOptions<T> {
  /** Takes all objects there are. Resolves with the resourceVersion of the list. */
  readonly list: () => Promise<string>;
  /** Watches from a resourceVersion. Awaits `take` of each event, and resolves when the server ends the watch. */
  readonly watch: (resourceVersion: string, take: TakeEvent<T>) => Promise<void>;
  /** The next event is read after this resolves. */
  readonly changed: (type: ChangeType, object: T) => void | Promise<void>;
  /**
   * Told what interrupts it, but for a resourceVersion that is too old (410), which is normal. What it throws ends the
   * reflector.
   */
  readonly failed: (error: unknown) => void;
  /** The resourceVersion of an event's object, or row of a table; absent: whatever text is sent. */
  readonly versionOf?: (object: T) => string | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** The first pause and the longest one, in milliseconds, each up to twice as long at random. */
  readonly backoff?: { readonly first?: number; readonly most?: number } | undefined;
  /** Instead of a timer. `error`: what `failed` was told before it. */
  readonly wait?: (ms: number, error: unknown) => Promise<unknown>;
}

const BACKOFF_MS = { first: 250, most: 15_000 };
/** A watch that lasts this long resets the back-off, as an event does. */
const SETTLED_MS = 10_000;

/**
 * Follows a collection, as the Reflector of client-go does: lists it, then watches it from the resourceVersion of the list.
 * A watch that ends, or breaks off, is resumed from the version of the last event or bookmark. After 410 Gone, an event
 * of type ERROR, and where the server does not have the version yet, the collection is listed again. Pauses between
 * attempts grow until an event arrives.
 */
export class Reflector<T> {
  private readonly options: ReflectorOptions<T>;
  private readonly first: number;
  /** Where a watch resumes. It never goes back but by a list. */
  private version = '';
  private listing = true;
  private pause: number;
  /** The ERROR of the current watch: what reads the watch may report it as another error. */
  private refusal: ApiError | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.options = options;
    this.first = options.backoff?.first ?? BACKOFF_MS.first;
    this.pause = this.first;
  }

  /** Resolves when the signal is aborted. Rejects with what `failed` throws. */
  async run(): Promise<void> {
    const { signal, backoff, wait = (ms) => sleep(ms, signal) } = this.options;
    const isEnded = (): boolean => signal?.aborted === true;
    while (!isEnded()) {
      const error = await this.follow();
      if (isEnded()) return;
      // Randomized, so that clients which lost the same server do not come back together.
      const ms = this.pause * (1 + Math.random());
      this.pause = Math.min(this.pause * 2, backoff?.most ?? BACKOFF_MS.most);
      await wait(ms, error);
    }
  }

  /** The next turn lists the collection. */
  relist(): void {
    this.listing = true;
  }

  /** One watch, after a list where one is due. Resolves with what `failed` was told. */
  private async follow(): Promise<unknown> {
    const { list, watch, failed, signal } = this.options;
    this.refusal = undefined;
    let began = Infinity;
    try {
      if (this.listing) this.version = await list();
      this.listing = this.version === '';
      began = performance.now();
      await watch(this.version, (type, object) => this.take(type, object));
      return undefined;
    } catch (thrown) {
      const error = this.refusal ?? thrown;
      if (signal?.aborted === true) return undefined;
      const tooOld = error instanceof ApiError && error.code === 410;
      if (tooOld || this.refusal !== undefined || isTooLarge(error)) this.relist();
      if (tooOld) return undefined;
      failed(error);
      return error;
    } finally {
      if (performance.now() - began > SETTLED_MS) this.pause = this.first;
    }
  }

  private take(type: string, object: T): void | Promise<void> {
    if (type === 'ERROR') {
      const status: Status = membersOf(object);
      this.refusal = new ApiError(500, status);
      throw this.refusal;
    }
    const version = (this.options.versionOf ?? versionIn)(object);
    const taken = isChange(type) ? this.options.changed(type, object) : undefined;
    if (taken !== undefined) return taken.then(() => this.taken(version));
    this.taken(version);
  }

  private taken(version: string | undefined): void {
    this.pause = this.first;
    if (version !== undefined) this.version = version;
  }
}

/** A server that was restored has not come to the resourceVersion yet. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');

const isChange = (type: string): type is ChangeType =>
  type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';

/** Of an object, or of the row of a table that shows it; some bookmarks have it only in the metadata of the table. */
function versionIn(object: unknown): string | undefined {
  const { rows } = membersOf(object);
  const row: unknown = Array.isArray(rows) ? rows.at(-1) : undefined;
  for (const one of [membersOf(row).object, object]) {
    const { resourceVersion } = membersOf(membersOf(one).metadata);
    if (typeof resourceVersion === 'string' && resourceVersion !== '') return resourceVersion;
  }
  return undefined;
}

/** Resolves early when the signal is aborted. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
