import {
  StorageError,
  type Expectation,
  type Guard,
  type Storage,
  type StoredRecord,
} from '../../storage/interface.js';
import type { HostKind } from './kinds.js';

/** Rejects with the StorageError of the first expectation, in the given order, that the store does not meet. */
export async function checkExpectations(
  storage: Pick<Storage, 'get'>,
  expectations: readonly Guard[],
): Promise<void> {
  const found = await Promise.all(expectations.map(({ key }) => storage.get(key)));
  for (const [at, { key, expect }] of expectations.entries()) check(key, expect, found[at]?.record);
}

/**
 * Checks a guard on an object of the host in the cache first, and at the host if the cache, which may be stale, does
 * not meet it.
 */
export async function checkHostGuard(kind: HostKind, { key, expect }: Guard): Promise<void> {
  const cached = kind.cache.latest().get(key.slice(kind.prefix.length));
  if (meets(cached?.revision, expect)) return;
  check(key, expect, (await kind.storage.get(key)).record);
}

function meets(revision: number | undefined, expect: Expectation): boolean {
  if (expect === 'any') return true;
  if (expect === 'absent') return revision === undefined;
  return expect === 'present' ? revision !== undefined : revision === expect;
}

function check(key: string, expect: Expectation, current: StoredRecord | undefined): void {
  if (meets(current?.revision, expect)) return;
  if (current === undefined) throw new StorageError({ code: 'not found', key });
  throw new StorageError({ code: expect === 'absent' ? 'exists' : 'conflict', key, current });
}
