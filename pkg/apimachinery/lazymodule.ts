import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A package that is loaded on first use. `T`: the type of its exports. */
export function lazyModule<T>(name: string): () => T {
  let loaded: T | undefined;
  // Exports are not checked against their types.
  return () => (loaded ??= require(name) as T);
}
