import type { ResourceCache } from '../../../cache/interface.js';
import { readUse } from '../userecord.js';

/** The last use of keys: on this server from memory, and on any server from their records. */
export interface LastUsed {
  used(name: string, at: number): void;
  /** ms since 1970; 0: not seen used. */
  of(name: string): number;
  /** The time in its record, in ms since 1970; 0: no record. */
  recorded(name: string): number;
  /** The keys used here since the last call, with the time. */
  take(): ReadonlyMap<string, number>;
  /** The keys whose last use is in memory. */
  names(): Iterable<string>;
  /** For a key that was deleted. */
  forget(name: string): void;
}

/** Maximum number of keys; beyond it the oldest entry is dropped. */
const MAX_KEYS = 100_000;

/** `records`: the {@link USE_RECORDS} of all servers. */
export function createLastUsed(records: Pick<ResourceCache, 'latest'>): LastUsed {
  const times = new Map<string, number>();
  let recent = new Map<string, number>();
  const recorded = (name: string): number => {
    const entry = records.latest().get(name);
    return entry === undefined ? 0 : readUse(entry.bytes);
  };
  return {
    used(name, at) {
      if (times.size >= MAX_KEYS && !times.has(name)) times.delete(times.keys().next().value!);
      times.set(name, at);
      recent.set(name, at);
    },
    of: (name) => Math.max(times.get(name) ?? 0, recorded(name)),
    recorded,
    take() {
      const taken = recent;
      recent = new Map();
      return taken;
    },
    names: () => times.keys(),
    forget: (name) => void times.delete(name),
  };
}
