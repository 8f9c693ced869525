import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A package that is loaded when it is first used. `T`: what its types say that it exports. */
export function lazyModule<T>(name: string): () => T {
  let loaded: T | undefined;
  // What a package exports is not known to be what its types say.
  return () => (loaded ??= require(name) as T);
}
