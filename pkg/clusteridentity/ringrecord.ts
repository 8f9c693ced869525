/** The record of the signing keys in the store, and its cached content. */
import type { Storage } from '../storage/interface.js';
import { isFailedPrecondition } from '../storage/precondition.js';
import { followRange } from './followrange.js';
import { decodeRing, encodeRing, type KeyRing } from './keyring.js';

/** Outside `registry/`, so that no code that serves objects can read it. */
export const SIGNING_KEYS = 'identity/signingkeys';
const RANGE = { start: SIGNING_KEYS, end: `${SIGNING_KEYS}\u0001` };

/** How often a change is tried, as other servers write the record, too. */
const MAX_TRIES = 10;

export interface RingRecord {
  /** The same object until it changes. */
  current(): KeyRing;
  /** Writes the ring that `next` returns; undefined: nothing. Rejects with StorageError. */
  change(next: (ring: KeyRing) => KeyRing | undefined): Promise<void>;
  close(): void;
}

/**
 * `failed`: called for a record that cannot be read. Rejects with StorageError, and Error for one of a newer
 * release.
 */
export async function openRingRecord(
  storage: Storage,
  failed: (error: unknown) => void,
): Promise<RingRecord> {
  let ring: KeyRing = [];
  let known = 0;
  const learn = (value: Buffer | undefined, revision: number): void => {
    if (revision <= known) return;
    known = revision;
    try {
      ring = value === undefined ? [] : decodeRing(value);
    } catch (error) {
      failed(error);
    }
  };
  const read = async (): Promise<void> => {
    const { record } = await storage.get(SIGNING_KEYS);
    if (record === undefined) [ring, known] = [[], 0];
    else [ring, known] = [decodeRing(record.value), record.revision];
  };
  await read();
  const following = await followRange(storage, RANGE, {
    reset: ({ records }) => records.forEach(({ value, revision }) => learn(value, revision)),
    changed: (events) => events.forEach(({ value, revision }) => learn(value, revision)),
  });
  return {
    current: () => ring,
    async change(next) {
      for (let tries = 1; ; tries += 1) {
        const wanted = next(ring);
        if (wanted === undefined) return;
        const value = encodeRing(wanted);
        try {
          const expect = known === 0 ? 'absent' : known;
          const { revisions } = await storage.commit([{ key: SIGNING_KEYS, value, expect }]);
          return learn(value, revisions[0]!);
        } catch (error) {
          if (!isFailedPrecondition(error) || tries === MAX_TRIES) throw error;
          await read();
        }
      }
    },
    close: () => following.close(),
  };
}
