/** The life of a cache: load, follow, reconnect, and load anew when history is gone. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { piecesOf } from '../store/batches.js';
import type { Generation } from '../store/epoch.js';
import { REGISTRY_PREFIX } from '../store/load.js';
import type { LoadPlan } from '../store/load.js';
import { sleepUnlessStopped, unlessStopped } from '../stopping.js';
import { StorageError, prefixEnd } from '../../storage/interface.js';
import type { KeyRange, Storage, StorageWatch, WatchBatch } from '../../storage/interface.js';

const REGISTRY: KeyRange = { start: REGISTRY_PREFIX, end: prefixEnd(REGISTRY_PREFIX) };
/** After so long at work the loop gets a turn. */
const TURN_MS = 8;
/** The longest wait between attempts, as a multiple of the first. */
const LONGEST_WAIT = 40;

export interface FollowSteps {
  /** The load plan, reaching back `history` or, when that turned out too far, not at all. */
  plan(reachBack: boolean): Promise<LoadPlan>;
  load(plan: LoadPlan): Promise<Generation>;
  /** The generation has everything up to its target: readers may have it. Called once for each. May throw. */
  install(generation: Generation): void;
  /** Applies one piece, in one turn. */
  apply(generation: Generation, piece: WatchBatch): void;
  /** Changes are coming in. */
  following(): void;
  /** They are not. Answers whether to go on trying. */
  failed(error: unknown): boolean;
  /** The newest revision that readers have seen; a rebuilt state does not go behind it. */
  seen(): number;
}

export interface Following {
  /** Resolves when it has stopped. Never rejects. */
  readonly stopped: Promise<void>;
  stop(): void;
}

export function follow(storage: Storage, steps: FollowSteps, retryMs: number): Following {
  const stop = new AbortController();
  const { signal } = stop;
  let watch: StorageWatch | undefined;
  let attempts = 0;

  async function run(): Promise<void> {
    let reachBack = true;
    while (!signal.aborted) {
      try {
        reachBack = await loadAndFollow(reachBack);
        await pause();
      } catch (error) {
        if (signal.aborted || !steps.failed(error)) return;
        reachBack &&= !isCompacted(error);
        await pause();
      }
    }
  }

  /** Answers when another load is needed: whether it may reach back into history. Rejects when the load fails. */
  async function loadAndFollow(reachBack: boolean): Promise<boolean> {
    const plan = await unlessStopped(steps.plan(reachBack), signal);
    const generation = await unlessStopped(steps.load(plan), signal);
    const target = Math.max(plan.target, steps.seen());
    let installed = false;
    const advance = (): void => {
      if (installed || generation.revision() < target) return;
      installed = true;
      steps.install(generation);
    };
    advance();
    while (!signal.aborted) {
      try {
        await readWatch(generation, advance);
        if (!signal.aborted) steps.failed(new Error('the watch ended'));
      } catch (error) {
        if (signal.aborted) break;
        if (!steps.failed(error)) stop.abort();
        if (isCompacted(error)) return installed;
        // What was applied in part must not be served on.
        if (!(error instanceof StorageError)) return true;
      }
      await pause();
      await reconnected();
    }
    return true;
  }

  async function readWatch(generation: Generation, advance: () => void): Promise<void> {
    let stands = false;
    let ended = false;
    const standing = (): void => {
      if (stands || ended) return;
      stands = true;
      steps.following();
    };
    watch = storage.watch(REGISTRY, { after: generation.revision(), standing });
    let turnBegan = performance.now();
    try {
      for await (const batch of watch) {
        standing();
        for (const piece of piecesOf(batch)) {
          if (performance.now() - turnBegan > TURN_MS) {
            await nextTurn();
            turnBegan = performance.now();
          }
          if (signal.aborted) return;
          steps.apply(generation, piece);
          advance();
        }
        attempts = 0;
      }
    } finally {
      ended = true;
      watch.cancel();
      watch = undefined;
    }
  }

  /** Waits until the store answers again. */
  async function reconnected(): Promise<void> {
    while (!signal.aborted) {
      try {
        await unlessStopped(storage.currentRevision(), signal);
        return;
      } catch (error) {
        if (!signal.aborted) steps.failed(error);
        await pause();
      }
    }
  }

  async function pause(): Promise<void> {
    const wait = retryMs * Math.min(2 ** attempts, LONGEST_WAIT);
    attempts += 1;
    await sleepUnlessStopped(wait, signal);
  }

  return {
    stopped: run(),
    stop: () => {
      stop.abort();
      watch?.cancel();
    },
  };
}

function isCompacted(error: unknown): boolean {
  return error instanceof StorageError && error.failure.code === 'compacted';
}
