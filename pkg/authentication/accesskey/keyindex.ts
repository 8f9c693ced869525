/** Finds the object of an access key by the key's hash. */
import type { KeyObject } from 'node:crypto';
import { hashKey } from '../../apimachinery/accesskey.js';
import type { CacheEvent, Entry, ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import { digest } from '../bearer.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** Maximum number of cached valid keys, which need no HMAC. */
const MAX_CACHED_HASHES = 10_000;

export interface KeyIndex {
  /** The name of the key's object. The time of the lookup by hash reveals nothing about the keys. */
  find(token: string): string | undefined;
}

/** `records`: of the keys. Throws `CacheUnavailable` before the cache is loaded. */
export function keyIndex(records: ResourceCache, pepper: KeyObject): KeyIndex {
  const names = new Map<string, string>();
  const cachedHashes = new Map<string, string>();
  const current = onChanges(
    records,
    (events) => events.forEach(change),
    () => {
      names.clear();
      for (const entry of records.latest().entries('')) names.set(hashOf(entry), entry.name);
    },
  );
  function change({ entry, previous, deleted }: CacheEvent): void {
    if (previous !== undefined) names.delete(hashOf(previous));
    if (!deleted) names.set(hashOf(entry), entry.name);
  }
  return {
    find(token) {
      current();
      const key = digest(token);
      const before = cachedHashes.get(key);
      const hash = before ?? hashKey(token, pepper).toString('base64');
      const name = names.get(hash);
      if (name === undefined) cachedHashes.delete(key);
      else if (before === undefined) {
        if (cachedHashes.size >= MAX_CACHED_HASHES) cachedHashes.delete(cachedHashes.keys().next().value!);
        cachedHashes.set(key, hash);
      }
      return name;
    },
  };
}

const hashOf = ({ bytes }: Entry): string => parseStored<{ hash: string }>(bytes).hash;
