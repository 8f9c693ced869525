/**
 * Private records of the last use of a key, which servers of one store share. They are separate from the object,
 * which changes less often.
 */
import type { Write } from '../../storage/interface.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Cached with the objects; not served. */
export const USE_RECORDS = {
  resource: 'private/accesskeyuse',
  prefix: 'registry/private/accesskeyuse/',
} as const;

interface UseRecord {
  /** ms since 1970. */
  readonly at: number;
}

/** ms since 1970. Throws on a value that no release wrote. */
export const readUse = (value: Buffer): number => parseStored<UseRecord>(value).at;

export function useWrite(name: string, at: number): Write {
  const record: UseRecord = { at };
  return { key: USE_RECORDS.prefix + name, value: Buffer.from(JSON.stringify(record)), expect: 'any' };
}
