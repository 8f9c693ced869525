/** A storage with revisions at an offset from those of the engine. */
import {
  FIRST_REVISION,
  StorageError,
  type Expectation,
  type Storage,
  type StorageFailure,
  type StorageWatch,
  type StoredRecord,
  type WatchBatch,
} from '../interface.js';
import type { RevisionOffset } from './revisionoffset.js';

/** Returns the same storage without an offset. */
export function offsetStorage(engine: Storage, by: RevisionOffset | undefined): Storage {
  if (by === undefined) return engine;
  const { oldest } = by;
  const shift = new Shift(by.offset);
  const checked = (revision: number | undefined): { readonly revision?: number } => {
    if (revision === undefined) return {};
    if (revision < oldest) throw new StorageError({ code: 'compacted', revision, oldest });
    return { revision: revision - by.offset };
  };
  return {
    capabilities: engine.capabilities,
    async get(key, { revision } = {}) {
      const at = checked(revision);
      const found = await shift.failures(engine.get(key, at));
      return { revision: found.revision + by.offset, record: found.record && shift.record(found.record) };
    },
    async scan(range, { revision, ...options } = {}) {
      const at = checked(revision);
      const found = await shift.failures(engine.scan(range, { ...options, ...at }));
      const records = found.records.map((record) => shift.record(record));
      return { ...found, revision: found.revision + by.offset, records };
    },
    async commit(writes, guards) {
      const own = writes.map((write) => ({ ...write, expect: shift.expectation(write.expect) }));
      const needed = guards?.map(({ key, expect }) => ({ key, expect: shift.expectation(expect) }));
      const { revisions } = await shift.failures(engine.commit(own, needed));
      return { revisions: revisions.map((revision) => revision + by.offset) };
    },
    watch(range, { after, ...options } = {}) {
      if (after === undefined) return shift.watch(engine.watch(range, options));
      if (after < oldest) return compactedWatch(after, oldest);
      return shift.watch(engine.watch(range, { ...options, after: after - by.offset }));
    },
    currentRevision: async () => (await shift.failures(engine.currentRevision())) + by.offset,
    async compact(revision) {
      if (revision > oldest) await shift.failures(engine.compact(revision - by.offset));
    },
    close: () => engine.close(),
  };
}

/** Converts revisions of the engine to those of the store. */
class Shift {
  constructor(private readonly offset: number) {}

  record(record: StoredRecord): StoredRecord {
    return { ...record, revision: record.revision + this.offset };
  }

  /** The engine's first revision is empty, so no record is at it; nor is one at an older revision. */
  expectation(expect: Expectation): Expectation {
    if (typeof expect !== 'number') return expect;
    return Math.max(expect - this.offset, FIRST_REVISION);
  }

  /** Converts the revisions in failures of `call`. */
  async failures<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      throw new StorageError(this.moved(error.failure), { cause: error.cause });
    }
  }

  watch(watch: StorageWatch): StorageWatch {
    type Step = IteratorResult<WatchBatch, undefined>;
    const shifted = (step: Step): Step => {
      if (step.done === true) return step;
      const { events, revision } = step.value;
      const moved = events.map((event) => ({ ...event, revision: event.revision + this.offset }));
      return { done: false, value: { events: moved, revision: revision + this.offset } };
    };
    return {
      cancel: () => watch.cancel(),
      [Symbol.asyncIterator]: () => {
        const inner = watch[Symbol.asyncIterator]();
        return {
          next: async () => shifted(await this.failures(inner.next())),
          return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
        };
      },
    };
  }

  private moved(failure: StorageFailure): StorageFailure {
    const { offset } = this;
    switch (failure.code) {
      case 'exists':
      case 'conflict':
        return { ...failure, current: this.record(failure.current) };
      case 'compacted':
        return { ...failure, revision: failure.revision + offset, oldest: failure.oldest + offset };
      case 'future revision':
        return { ...failure, revision: failure.revision + offset, current: failure.current + offset };
      case 'undecryptable':
        return { ...failure, revision: failure.revision + offset };
      case 'not found':
      case 'too large':
      case 'unavailable':
        return failure;
    }
  }
}

/** Fails when it is read. */
const compactedWatch = (revision: number, oldest: number): StorageWatch => ({
  cancel: () => undefined,
  [Symbol.asyncIterator]: () => ({
    next: () => Promise.reject(new StorageError({ code: 'compacted', revision, oldest })),
  }),
});
