/** Remembers deleted owners: a uid is never reused. */
export interface AbsentOwners {
  readonly size: number;
  has(identity: string): boolean;
  add(identity: string): void;
}

const MAX = 10_000;

/** Keeps the last `most` that were requested or added. */
export function createAbsentOwners(most = MAX): AbsentOwners {
  const known = new Set<string>();
  const keep = (identity: string): void => {
    known.delete(identity);
    known.add(identity);
    if (known.size <= most) return;
    const [oldest] = known;
    if (oldest !== undefined) known.delete(oldest);
  };
  return {
    get size() {
      return known.size;
    },
    has(identity) {
      if (!known.has(identity)) return false;
      keep(identity);
      return true;
    },
    add: keep,
  };
}
