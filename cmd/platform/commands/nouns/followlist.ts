/** A list that goes on as its objects change, as an informer of Kubernetes follows it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../failure.js';
import { Expired, Interrupted, type WatchLine } from '../../connection/watch.js';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
/** A server that is away for longer is given up. */
const AWAY_MS = 5 * 60_000;

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** An object, or a row that shows one. */
export interface Listed<T> {
  /** Of the object: uid, or namespace and name. */
  readonly id: string;
  readonly resourceVersion: string;
  readonly value: T;
}

export interface Change<T> {
  readonly type: ChangeType;
  readonly value: T;
}

export interface ListState<T> {
  readonly items: readonly Listed<T>[];
  readonly resourceVersion: string;
}

export interface ListSource<T> {
  list(): Promise<ListState<T>>;
  /** Throws as `watchLines` does. */
  watch(resourceVersion: string, opened: () => void): AsyncIterable<WatchLine>;
  /** Of an event's object; a bookmark's has no items. */
  read(object: object): ListState<T>;
  /** Told why it is not followed at the moment, once for each time. */
  interrupted(why: string): void;
  readonly delayMs?: number;
  readonly awayMs?: number;
}

/**
 * First the list, then each change. Changes made while the server was away come when it is back. Ends
 * by a Failure alone: credentials that have ended, rights that are gone, a server that is away for five minutes.
 */
export async function* followList<T>(source: ListSource<T>): AsyncGenerator<readonly Change<T>[]> {
  const backoff = new WatchBackoff(source);
  const known = new Map<string, Listed<T>>();
  const first = await source.list();
  yield differences(known, first);
  let version: string | undefined = first.resourceVersion;
  for (;;)
    try {
      if (version === undefined) {
        const state = await listAgain(source);
        yield differences(known, state);
        version = state.resourceVersion;
      }
      for await (const { type, object } of source.watch(version, () => backoff.opened())) {
        backoff.reset();
        const state = source.read(object);
        if (isChange(type)) yield state.items.map((item) => take(known, type, item));
        version = state.items.at(-1)?.resourceVersion || state.resourceVersion;
      }
      // Servers end watches from time to time; one that does so at once is not asked without a pause.
      await backoff.pause();
    } catch (error) {
      if (error instanceof Expired) version = undefined;
      else if (!(error instanceof Interrupted)) throw error;
      await backoff.pause(error);
    }
}

/** A bookmark changes nothing. */
const isChange = (type: string): type is ChangeType =>
  type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';

/** A server that cannot be reached now may be later. */
async function listAgain<T>(source: ListSource<T>): Promise<ListState<T>> {
  try {
    return await source.list();
  } catch (error) {
    if (error instanceof Failure && error.reason === 'failed') throw new Interrupted('failed', error.message);
    throw error;
  }
}

/** The differences of a new list to the known rows. */
function differences<T>(known: Map<string, Listed<T>>, { items }: ListState<T>): Change<T>[] {
  const there = new Set(items.map(({ id }) => id));
  const gone = [...known.values()].filter(({ id }) => !there.has(id));
  const changed = items.filter(
    ({ id, resourceVersion }) => known.get(id)?.resourceVersion !== resourceVersion,
  );
  return [
    ...gone.map((item) => take(known, 'DELETED', item)),
    ...changed.map((item) => take(known, known.has(item.id) ? 'MODIFIED' : 'ADDED', item)),
  ];
}

function take<T>(known: Map<string, Listed<T>>, type: ChangeType, item: Listed<T>): Change<T> {
  if (type === 'DELETED') known.delete(item.id);
  else known.set(item.id, item);
  return { type, value: item.value };
}

type BackoffOptions = Pick<ListSource<unknown>, 'interrupted' | 'delayMs' | 'awayMs'>;

/** Pauses between attempts: each is longer than the one before, until an event arrives. */
class WatchBackoff {
  private readonly source: BackoffOptions;
  private delay: number;
  /** Since when the server is unreachable. */
  private since: number | undefined;

  constructor(source: BackoffOptions) {
    this.source = source;
    this.delay = source.delayMs ?? FIRST_DELAY_MS;
  }

  opened(): void {
    this.since = undefined;
  }

  reset(): void {
    this.delay = this.source.delayMs ?? FIRST_DELAY_MS;
  }

  /** Rejects with `error` when the server has been unreachable for too long. */
  async pause(error?: unknown): Promise<void> {
    const { awayMs = AWAY_MS } = this.source;
    if (error instanceof Interrupted) {
      if (this.since === undefined) this.source.interrupted(error.message);
      this.since ??= performance.now();
      if (performance.now() - this.since > awayMs) throw error;
    }
    await sleep(this.delay * (0.5 + Math.random()));
    this.delay = Math.min(this.delay * 2, MAX_DELAY_MS);
  }
}
