/** The loop of a cache: load, watch, reconnect, and load again when events are lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import type { Epoch } from '../store/epoch.js';
import { REGISTRY_PREFIX } from '../interface.js';
import type { LoadPlan } from '../store/load.js';
import {
  StorageError,
  prefixEnd,
  type KeyRange,
  type Storage,
  type StorageWatch,
  type WatchBatch,
  type StorageEvent,
} from '../../storage/interface.js';

const REGISTRY: KeyRange = { start: REGISTRY_PREFIX, end: prefixEnd(REGISTRY_PREFIX) };
/** Maximum time in ms before the event loop gets a turn. */
const TURN_MS = 8;
/** The longest wait between attempts, as a multiple of the first. */
const LONGEST_WAIT = 40;

export interface ReflectorSteps {
  /** The load plan, reaching back `history` or, when that turned out too far, not at all. */
  plan(reachBack: boolean): Promise<LoadPlan>;
  load(plan: LoadPlan): Promise<Epoch>;
  /** The epoch has everything up to its target: readers may have it. Called once for each. May throw. */
  install(epoch: Epoch): void;
  /** Applies one piece, in one turn. */
  apply(epoch: Epoch, piece: WatchBatch): void;
  /** Changes are coming in. */
  following(): void;
  /** They are not. Answers whether to go on trying. */
  failed(error: unknown): boolean;
  /** The newest revision that readers have seen; a rebuilt state does not go behind it. */
  seen(): number;
}

/** An epoch on its way to the readers. */
interface Loading {
  readonly epoch: Epoch;
  /** The revision to reach before the epoch is installed. */
  readonly target: number;
  installed: boolean;
}

export class Reflector {
  /** Resolves when it has stopped. Never rejects. */
  readonly stopped: Promise<void>;
  private readonly stopping = new AbortController();
  private readonly signal = this.stopping.signal;
  private watch: StorageWatch | undefined = undefined;
  private attempts = 0;

  /** Begins at once. @param retryMs the first wait between attempts. */
  constructor(
    private readonly storage: Storage,
    private readonly steps: ReflectorSteps,
    private readonly retryMs: number,
  ) {
    this.stopped = this.run();
  }

  stop(): void {
    this.stopping.abort();
    this.watch?.cancel();
  }

  private async run(): Promise<void> {
    let reachBack = true;
    while (!this.signal.aborted) {
      try {
        reachBack = await this.loadAndWatch(reachBack);
        await this.pause();
      } catch (error) {
        if (this.signal.aborted || !this.steps.failed(error)) return;
        reachBack &&= !isCompacted(error);
        await this.pause();
      }
    }
  }

  /** Answers when another load is needed: whether it may reach back into history. Rejects when the load fails. */
  private async loadAndWatch(reachBack: boolean): Promise<boolean> {
    const { steps, signal } = this;
    const plan = await unlessStopped(steps.plan(reachBack), signal);
    const epoch = await unlessStopped(steps.load(plan), signal);
    const loading = { epoch, target: Math.max(plan.target, steps.seen()), installed: false };
    this.installWhenReached(loading);
    while (!signal.aborted) {
      try {
        await this.readWatch(loading);
        if (!signal.aborted) steps.failed(new Error('the watch ended'));
      } catch (error) {
        if (signal.aborted) break;
        if (!steps.failed(error)) this.stopping.abort();
        if (isCompacted(error)) return loading.installed;
        // A partly applied batch must not be served.
        if (!(error instanceof StorageError)) return true;
      }
      await this.pause();
      await this.reconnected();
    }
    return true;
  }

  private installWhenReached(loading: Loading): void {
    if (loading.installed || loading.epoch.revision() < loading.target) return;
    loading.installed = true;
    this.steps.install(loading.epoch);
  }

  private async readWatch(loading: Loading): Promise<void> {
    let opened = false;
    let ended = false;
    const standing = (): void => {
      if (opened || ended) return;
      opened = true;
      this.steps.following();
    };
    const watch = this.storage.watch(REGISTRY, { after: loading.epoch.revision(), standing });
    this.watch = watch;
    try {
      await this.applyAll(watch, loading, standing);
    } finally {
      ended = true;
      watch.cancel();
      this.watch = undefined;
    }
  }

  private async applyAll(watch: StorageWatch, loading: Loading, standing: () => void): Promise<void> {
    let turnBegan = performance.now();
    for await (const batch of watch) {
      standing();
      for (const piece of chunksOf(batch)) {
        if (performance.now() - turnBegan > TURN_MS) {
          await nextTurn();
          turnBegan = performance.now();
        }
        if (this.signal.aborted) return;
        this.steps.apply(loading.epoch, piece);
        this.installWhenReached(loading);
      }
      this.attempts = 0;
    }
  }

  /** Waits until the store answers again. */
  private async reconnected(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        await unlessStopped(this.storage.currentRevision(), this.signal);
        return;
      } catch (error) {
        if (!this.signal.aborted) this.steps.failed(error);
        await this.pause();
      }
    }
  }

  private async pause(): Promise<void> {
    const wait = this.retryMs * Math.min(2 ** this.attempts, LONGEST_WAIT);
    this.attempts += 1;
    await sleep(wait, undefined, { signal: this.signal }).catch(() => undefined);
  }
}

function isCompacted(error: unknown): boolean {
  return error instanceof StorageError && error.failure.code === 'compacted';
}

/** Rejects when stopped first: a store that hangs does not hold up the end. */
async function unlessStopped<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  let give: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    give = () => reject(new Error('stopped'));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give);
  });
  try {
    return await Promise.race([step, stopped]);
  } finally {
    if (give !== undefined) signal.removeEventListener('abort', give);
  }
}

const PIECE_EVENTS = 512;

/** A batch in pieces of whole commits, small enough for one turn of the loop each. */
function* chunksOf(batch: WatchBatch): Generator<WatchBatch> {
  let events: StorageEvent[] = [];
  for (const event of batch.events) {
    events.push(event);
    if (events.length < PIECE_EVENTS || !event.commitEnd) continue;
    yield { events, revision: event.revision };
    events = [];
  }
  yield { events, revision: batch.revision };
}
