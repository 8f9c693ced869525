/** Finds the object of an access key by the key's hash. */
import type { KeyObject } from 'node:crypto';
import { hashKey } from '../accesskey.js';
import type { CacheEvent, ResourceCache } from '../../../cache/interface.js';
import { onChanges } from '../../../cache/watch/informer.js';
import { digest } from '../../../authentication/bearer.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/** Maximum number of cached valid keys, which need no HMAC. */
const MAX_CACHED_HASHES = 10_000;

export interface KeyIndex {
  /** The name of the key's object. The time of the lookup by hash reveals nothing about the keys. */
  find(token: string): string | undefined;
  /** The number of tokens whose hash is cached: all of keys that exist. */
  readonly cached: number;
}

interface IndexedKey {
  readonly name: string;
  /** The digest of its token, if its hash is cached. */
  token?: string;
}

/** `records`: of the keys. Throws `CacheUnavailable` before the cache is loaded. */
export function keyIndex(records: ResourceCache, pepper: KeyObject): KeyIndex {
  const keys = new Map<string, IndexedKey>();
  const cachedHashes = new Map<string, string>();
  const current = onChanges(
    records,
    (events) => events.forEach(change),
    () => {
      keys.clear();
      cachedHashes.clear();
      for (const { bytes, name } of records.latest().entries('')) keys.set(hashOf(bytes), { name });
    },
  );
  function change({ entry, previous, deleted }: CacheEvent): void {
    const hash = deleted ? undefined : hashOf(entry.bytes);
    const before = previous === undefined ? undefined : hashOf(previous.bytes);
    if (before !== undefined && before !== hash) remove(before);
    if (hash !== undefined && !keys.has(hash)) keys.set(hash, { name: entry.name });
  }
  function remove(hash: string): void {
    const token = keys.get(hash)?.token;
    if (token !== undefined) cachedHashes.delete(token);
    keys.delete(hash);
  }
  return {
    find(token) {
      current();
      const key = digest(token);
      const before = cachedHashes.get(key);
      const hash = before ?? hashKey(token, pepper).toString('base64');
      const found = keys.get(hash);
      if (found !== undefined && before === undefined) {
        if (cachedHashes.size >= MAX_CACHED_HASHES) cachedHashes.delete(cachedHashes.keys().next().value!);
        cachedHashes.set(key, hash);
        found.token = key;
      }
      return found?.name;
    },
    get cached() {
      return cachedHashes.size;
    },
  };
}

const hashOf = (bytes: Buffer): string => parseStored<{ hash: string }>(bytes).hash;
