/** When a key was used last, as the servers of one store tell each other; beside the object, which changes less often. */
import type { Write } from '../../../storage/interface.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/** In the cache with the objects; no kind is served from it. */
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
