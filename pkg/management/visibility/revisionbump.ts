import { StorageError, type Storage } from '../../storage/interface.js';
import type { RevisionMap } from './revisionmap.js';

/** Written only to increase the revision. */
const RECORD = 'registry/private/movedrights';
/** The first of several servers that see the same change writes. */
const LEAST_PAUSE_MS = 200;
const MORE_PAUSE_MS = 300;
const RETRY_MS = 5_000;

export interface RevisionBumpOptions {
  readonly revisionMap: Pick<RevisionMap, 'onChange'>;
  readonly own: { revision(): number };
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  /** Called if a write failed. */
  readonly failed: (error: unknown) => void;
}

export interface RevisionBump {
  /** Increases the revision now. Never rejects. */
  now(): Promise<void>;
  stop(): void;
}

/**
 * Increases the revision of our store after roles or bindings of the host have changed, unless another write does:
 * lists from before and after the change then have different revisions.
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
