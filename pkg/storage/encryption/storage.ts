/** A storage that encrypts the values that it passes to the engine, and decrypts those that the engine returns. */
import {
  refuseUnreadable,
  StorageError,
  type CommitResult,
  type Storage,
  type StorageEvent,
  type StorageFailure,
  type StorageWatch,
  type StoredRecord,
  type WatchBatch,
  type Write,
} from '../interface.js';
import { isEncrypted, keyNameIn, plainOf } from './envelope.js';
import type { Keyring } from './interface.js';
import { RecentWrites } from './recentwrites.js';

/**
 * `get`, and a commit with a conflict, fail with `undecryptable` if the record cannot be decrypted. `scan` and `watch`
 * deliver such a record with `undecryptable` set and an empty value, and continue.
 */
export function encryptedStorage(engine: Storage, keyring: Keyring): Storage {
  const values = new Values(keyring);
  const { revisionNow } = engine;
  return {
    ...(revisionNow !== undefined && { revisionNow: () => revisionNow.call(engine) }),
    capabilities: engine.capabilities,
    async get(key, options) {
      const found = await engine.get(key, options);
      if (found.record === undefined) return found;
      const record = values.opened(found.record);
      if (record === found.record) return found;
      refuseUnreadable(record);
      return { revision: found.revision, record };
    },
    async scan(range, options) {
      const found = await engine.scan(range, options);
      return { ...found, records: values.all(found.records) };
    },
    async commit(writes, guards): Promise<CommitResult> {
      try {
        return await engine.commit(values.closed(writes), guards);
      } catch (error) {
        throw error instanceof StorageError ? values.failure(error) : error;
      }
    },
    watch: (range, options) => values.watch(engine.watch(range, options)),
    currentRevision: () => engine.currentRevision(),
    compact: (revision) => engine.compact(revision),
    close: () => engine.close(),
  };
}

const NOTHING = Buffer.alloc(0);

type Item = Pick<StoredRecord, 'key' | 'revision' | 'undecryptable'> & { readonly value: Buffer | undefined };

class Values {
  private readonly recent = new RecentWrites();

  constructor(private readonly keyring: Keyring) {}

  /** The writes as the engine gets them. */
  closed(writes: readonly Write[]): readonly Write[] {
    return writes.map((write) => {
      const { key, value } = write;
      const writer = value === undefined ? undefined : this.writerOf(key, value);
      if (value === undefined || writer === undefined) return write;
      const encrypted = writer.encrypt(value, key);
      this.recent.add(key, encrypted, value);
      return { ...write, value: encrypted, overhead: encrypted.length - value.length };
    });
  }

  private writerOf(key: string, value: Buffer): ReturnType<Keyring['writer']> {
    const writer = this.keyring.writer(key);
    if (writer === undefined && isEncrypted(value))
      throw new RangeError('a value must not begin as encrypted ones do');
    return writer;
  }

  /** Returns the same object if nothing is to be decrypted. */
  opened<One extends Item>(item: One): One {
    const { key, value, revision } = item;
    if (value === undefined || item.undecryptable !== undefined) return item;
    if (!isEncrypted(value)) {
      if (this.keyring.plaintext(key)) return item;
      return { ...item, value: NOTHING, undecryptable: 'identity' };
    }
    const plain = this.recent.find(key, value) ?? plainOf(this.keyring, { key, value });
    if (plain !== undefined) return { ...item, value: plain };
    return { ...item, key, revision, value: NOTHING, undecryptable: keyNameIn(value) };
  }

  /** Returns the same array if nothing is to be decrypted. */
  all<One extends Item>(items: readonly One[]): readonly One[] {
    let changed: One[] | undefined;
    for (const [index, item] of items.entries()) {
      const opened = this.opened(item);
      if (opened === item) continue;
      changed ??= items.slice();
      changed[index] = opened;
    }
    return changed ?? items;
  }

  failure(error: StorageError): StorageError {
    const { failure } = error;
    if (failure.code !== 'exists' && failure.code !== 'conflict') return error;
    const current = this.opened(failure.current);
    if (current === failure.current) return error;
    if (failure.code === 'conflict') refuseUnreadable(current);
    return new StorageError({ ...failure, current } satisfies StorageFailure, { cause: error.cause });
  }

  watch(watch: StorageWatch): StorageWatch {
    type Step = IteratorResult<WatchBatch, undefined>;
    const opened = (step: Step): Step => {
      if (step.done === true) return step;
      const events: readonly StorageEvent[] = this.all(step.value.events);
      if (events === step.value.events) return step;
      return { done: false, value: { events, revision: step.value.revision } };
    };
    return {
      cancel: () => watch.cancel(),
      [Symbol.asyncIterator]: () => {
        const inner = watch[Symbol.asyncIterator]();
        return {
          next: async () => opened(await inner.next()),
          return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
        };
      },
    };
  }
}
