/** Sees to it that a store is the one that the cluster knows: when it is opened, after each interruption, and later. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError, type Storage } from '../../storage/interface.js';
import { isFailedPrecondition } from '../../storage/precondition.js';
import { findBinding, writeBinding } from './binding.js';
import type { ClusterNotes } from './clusternotes.js';
import { storeMismatch, type Binding, type KnownCluster } from './storemismatch.js';
import { StoreRefused } from './refused.js';

export interface GuardOptions {
  readonly storage: Storage;
  readonly notes: ClusterNotes;
  /** Whether a store that the cluster does not know is made its own. */
  readonly adopt: boolean;
  /** Called when a store was adopted despite the cluster's note. */
  readonly adopted: (refusal: StoreRefused) => void;
  /**
   * Called when the store is the cluster's, or is to become so, before anything is written to it here: for keys that are made only
   * now, which the first record needs. May be called again.
   */
  readonly taken: () => Promise<void>;
  /** Called once if the store is no longer the same. */
  readonly lost: (refusal: StoreRefused) => void;
  readonly report: (problem: string, error: unknown) => void;
}

export interface StoreGuard {
  /** The storage. After an interruption, requests wait until the store is verified to be the same. */
  readonly storage: Storage;
  /** Something else may answer from now on. */
  interrupted(): void;
  stop(): void;
}

/** How long a request waits for the store to be verified again. */
const STORE_TIMEOUT_MS = 5_000;
const RECHECK_MS = 200;
/** Between something written and its mark, and between two marks. */
const SOON_MS = 500;
const BETWEEN_MARKS_MS = 5_000;
/** Maximum number of attempts after conflicts at the start. */
const ATTEMPTS = 20;

/** Rejects with {@link StoreRefused}, and as the storage, the notes and `taken` do. */
export async function openGuard(options: GuardOptions): Promise<StoreGuard> {
  const bound = await bind(options);
  return new Guard(options, bound);
}

/** Answers the store's binding, which is noted at the cluster. */
async function bind({ storage, notes, adopt, adopted, taken }: GuardOptions): Promise<Binding> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const known = await notes.read();
    const found = await findBinding(storage);
    const doubt = storeMismatch(found, known);
    const refusal = doubt && new StoreRefused(doubt.reason, doubt.why);
    if (refusal !== undefined && !adopt) throw refusal;
    await taken();
    if (refusal === undefined && found.binding !== undefined) {
      await notes.raise({ ...found.binding, revision: found.written ?? 0 });
      return found.binding;
    }
    const binding = newBinding(known, found.binding);
    try {
      const revision = await writeBinding(storage, binding, found.written);
      if (!(await notes.replace({ ...binding, revision }, known))) continue;
      if (refusal !== undefined) adopted(refusal);
      return binding;
    } catch (error) {
      if (!isFailedPrecondition(error)) throw error;
    }
  }
  throw new Error('other servers keep binding the store to the cluster');
}

/** Another id than that of the copies that it was made of. */
const newBinding = ({ cluster }: KnownCluster, previous: Binding | undefined): Binding => ({
  id: randomUUID(),
  cluster,
  mark: (previous?.mark ?? 0) + 1,
});

class Guard implements StoreGuard {
  readonly storage: Storage;
  private stopped = false;
  private refused: StoreRefused | undefined;
  private checking: Promise<void> | undefined;
  private again = false;
  /** The newest own write that may not be covered by a mark. */
  private unmarked = 0;
  private marking: NodeJS.Timeout | undefined;
  private markedAt = -Infinity;

  constructor(
    private readonly options: GuardOptions,
    private bound: Binding,
  ) {
    const { storage } = options;
    this.storage = {
      capabilities: storage.capabilities,
      get: (...args) => this.sure(() => storage.get(...args)),
      scan: (...args) => this.sure(() => storage.scan(...args)),
      currentRevision: () => this.sure(() => storage.currentRevision()),
      commit: (...args) =>
        this.sure(async () => {
          const result = await storage.commit(...args);
          this.wrote(result.revisions.at(-1) ?? 0);
          return result;
        }),
      watch: (...args) => storage.watch(...args),
      compact: (...args) => storage.compact(...args),
      close: () => storage.close(),
    };
  }

  interrupted(): void {
    if (this.stopped) return;
    this.again = true;
    this.checking ??= this.recheck().finally(() => (this.checking = undefined));
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.marking);
  }

  private sure<T>(call: () => Promise<T>): Promise<T> {
    const { checking } = this;
    if (checking !== undefined)
      return within(checking, STORE_TIMEOUT_MS).then(() => this.unlessRefused(call));
    return this.unlessRefused(call);
  }

  private unlessRefused<T>(call: () => Promise<T>): Promise<T> {
    if (this.refused === undefined) return call();
    const failure = { code: 'unavailable', reason: this.refused.why, outcome: 'none' } as const;
    return Promise.reject(new StorageError(failure));
  }

  /** Verifies the store by its own record. The cluster need not be read, as the earlier record suffices. */
  private async recheck(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false;
      try {
        const { binding, empty, revision } = await findBinding(this.options.storage);
        const { id, cluster, mark } = this.bound;
        const noted = { id, mark, revision: 0 };
        const doubt = storeMismatch({ binding, empty, revision }, { cluster, noted, projects: true });
        if (doubt !== undefined) return this.lose(new StoreRefused(doubt.reason, doubt.why));
      } catch {
        this.again = true;
        await sleep(RECHECK_MS, undefined, { ref: false });
      }
    }
  }

  private lose(refusal: StoreRefused): void {
    if (this.stopped) return;
    this.refused = refusal;
    this.stop();
    this.options.lost(refusal);
  }

  private wrote(revision: number): void {
    this.unmarked = Math.max(this.unmarked, revision);
    this.markLater();
  }

  private markLater(): void {
    if (this.marking !== undefined || this.stopped) return;
    const wait = Math.max(SOON_MS, this.markedAt + BETWEEN_MARKS_MS - performance.now());
    this.marking = setTimeout(() => void this.mark(), wait).unref();
  }

  private async mark(): Promise<void> {
    this.markedAt = performance.now();
    const { unmarked, options } = this;
    let covered = false;
    try {
      covered = await this.markOnce(unmarked);
    } catch (error) {
      // Other servers also raise the mark for these writes.
      if (!isFailedPrecondition(error)) options.report('the mark of what is stored is not moved on', error);
    }
    this.marking = undefined;
    if (!covered || this.unmarked > unmarked) this.markLater();
  }

  /** Answers whether a mark at the cluster covers the revision. */
  private async markOnce(revision: number): Promise<boolean> {
    const { storage, notes } = this.options;
    const { binding, written = 0 } = await findBinding(storage);
    if (binding?.id !== this.bound.id || binding.mark < this.bound.mark) {
      const why = 'the store does not say any more that it is the one that was opened';
      this.lose(new StoreRefused('other', why));
      return true;
    }
    let [marked, at] = [binding, written];
    if (written < revision) {
      marked = { ...binding, mark: binding.mark + 1 };
      at = await writeBinding(storage, marked, written);
    }
    this.bound = marked;
    await notes.raise({ ...marked, revision: at });
    return true;
  }
}

/** As the promise; StorageError after a timeout. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const reason = 'the identity of the store is not verified yet';
    const failure = { code: 'unavailable', reason, outcome: 'none' } as const;
    timer = setTimeout(() => reject(new StorageError(failure)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
