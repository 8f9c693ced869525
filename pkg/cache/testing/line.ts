/** For tests of what happens when the store goes away. */
import {
  StorageError,
  type Storage,
  type StorageFailure,
  type StorageWatch,
  type WatchBatch,
} from '../../storage/interface.js';

/** The real engine, with a line that can be cut. */
export interface Line {
  readonly storage: Storage;
  /** Running watches fail with this. */
  breakWatches(failure: StorageFailure): void;
  /** While set, every call fails with it. */
  down: StorageFailure | undefined;
  /** While set, reads do not answer. */
  hanging: boolean;
}

export function lineTo(engine: Storage): Line {
  let breaks: ((failure: StorageFailure) => void)[] = [];
  const check = async <T>(call: () => Promise<T>): Promise<T> => {
    if (line.hanging) return new Promise<T>(() => undefined);
    if (line.down !== undefined) throw new StorageError(line.down);
    return call();
  };
  const line: Line = {
    down: undefined,
    hanging: false,
    breakWatches(failure) {
      const all = breaks;
      breaks = [];
      for (const one of all) one(failure);
    },
    storage: {
      ...engine,
      get: (key, options) => check(() => engine.get(key, options)),
      scan: (range, options) => check(() => engine.scan(range, options)),
      currentRevision: () => check(() => engine.currentRevision()),
      watch: (range, options) => {
        // A line that is cut brings no confirmation.
        const { standing: _lost, ...silent } = options ?? {};
        const watch = engine.watch(range, line.down === undefined ? options : silent);
        let fail!: (error: Error) => void;
        const broken = new Promise<never>((_resolve, reject) => (fail = reject));
        broken.catch(() => undefined);
        breaks.push((failure) => fail(new StorageError(failure)));
        if (line.down !== undefined) fail(new StorageError(line.down));
        return breakable(watch, broken);
      },
    },
  };
  return line;
}

function breakable(watch: StorageWatch, broken: Promise<never>): StorageWatch {
  const inner = watch[Symbol.asyncIterator]();
  return {
    cancel: () => watch.cancel(),
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.race([inner.next() as Promise<IteratorResult<WatchBatch>>, broken]),
    }),
  };
}
