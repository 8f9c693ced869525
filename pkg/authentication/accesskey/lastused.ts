/** When keys were used last, in memory. */
export interface LastUsed {
  used(name: string, at: number): void;
  /** ms since 1970; 0: this server has not seen it used. */
  of(name: string): number;
  /** Those used since they were asked for last, with the time. */
  take(): ReadonlyMap<string, number>;
}

/** So many keys at most; the one that was first seen makes room. */
const MOST_KEYS = 100_000;

export function createLastUsed(): LastUsed {
  const times = new Map<string, number>();
  let recent = new Map<string, number>();
  return {
    used(name, at) {
      if (times.size >= MOST_KEYS && !times.has(name)) times.delete(times.keys().next().value as string);
      times.set(name, at);
      recent.set(name, at);
    },
    of: (name) => times.get(name) ?? 0,
    take() {
      const taken = recent;
      recent = new Map();
      return taken;
    },
  };
}
