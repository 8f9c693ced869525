import type { Storage } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { RevisionMap } from './revisionmap.js';

/** Written for its revision alone. */
const RECORD = 'registry/private/movedrights';
/** Of several servers that see the same change the first writes. */
const LEAST_PAUSE_MS = 200;
const MORE_PAUSE_MS = 300;
const RETRY_MS = 5_000;

export interface RevisionBumpOptions {
  readonly revisionMap: Pick<RevisionMap, 'onChange'>;
  readonly own: { revision(): number };
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  /** Told what was not written. */
  readonly failed: (error: unknown) => void;
}

export interface RevisionBump {
  /** Moves them at once. Never rejects. */
  now(): Promise<void>;
  stop(): void;
}

/**
 * Makes our revisions move after roles and bindings of the host have changed, if nothing else does: lists from before and
 * from after the change have different revisions then.
 */
export function bumpRevision({ revisionMap, own, storage, failed }: RevisionBumpOptions): RevisionBump {
  let timer: NodeJS.Timeout | undefined;
  let seen = 0;
  let stopped = false;
  const write = async (): Promise<void> => {
    timer = undefined;
    if (own.revision() !== seen) return;
    try {
      const { record } = await storage.get(RECORD);
      const expect = record?.revision ?? 'absent';
      await storage.commit([{ key: RECORD, value: Buffer.from('{}'), expect }]);
    } catch (error) {
      const others = error instanceof StorageError && ['exists', 'conflict'].includes(error.failure.code);
      if (others) return;
      failed(error);
      if (!stopped) after(RETRY_MS);
    }
  };
  const after = (ms: number): void => {
    timer ??= setTimeout(() => void write(), ms).unref();
  };
  revisionMap.onChange(() => {
    seen = own.revision();
    after(LEAST_PAUSE_MS + Math.random() * MORE_PAUSE_MS);
  });
  return {
    async now() {
      seen = own.revision();
      await write();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
