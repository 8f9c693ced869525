import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type * as Utilities from 'yaml/util';

let loaded: typeof Yaml | undefined;

/** The `yaml` package, loaded when it is first used: most starts of the server, and most requests, need none. */
export function yamlPackage(): typeof Yaml {
  return (loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml);
}

let utilities: typeof Utilities | undefined;

/** The parts of the package that its documents are written with. */
export function yamlUtilities(): typeof Utilities {
  return (utilities ??= createRequire(import.meta.url)('yaml/util') as typeof Utilities);
}
