import type { SecretSource } from '../../../../api/management.svc.example/secretsource.js';

/** The mirrors of each SharedSecret; mirrors by `namespace/name`. */
export interface MirrorIndex {
  /** `source`: undefined if it is no mirror any more. */
  set(mirror: string, source: SecretSource | undefined): void;
  mirrorsOf(source: SecretSource): Iterable<string>;
  all(): Iterable<string>;
  clear(): void;
}

export function mirrorIndex(): MirrorIndex {
  const mirrors = new Map<string, Set<string>>();
  const sources = new Map<string, string>();
  function forget(mirror: string): void {
    const source = sources.get(mirror);
    if (source === undefined) return;
    sources.delete(mirror);
    const left = mirrors.get(source);
    left?.delete(mirror);
    if (left?.size === 0) mirrors.delete(source);
  }
  return {
    set(mirror, source) {
      forget(mirror);
      if (source === undefined) return;
      const key = keyOf(source);
      sources.set(mirror, key);
      const others = mirrors.get(key) ?? new Set();
      mirrors.set(key, others.add(mirror));
    },
    mirrorsOf: (source) => mirrors.get(keyOf(source)) ?? [],
    all: () => sources.keys(),
    clear() {
      mirrors.clear();
      sources.clear();
    },
  };
}

const keyOf = ({ namespace, name }: SecretSource): string => `${namespace}/${name}`;
