import type * as Yaml from 'yaml';
import type * as Utilities from 'yaml/util';
import { lazyModule } from '../../lazymodule.js';

/** The `yaml` package, loaded when it is first used: most starts of the server, and most requests, need none. */
export const yamlPackage = lazyModule<typeof Yaml>('yaml');

/** The parts of the package that its documents are written with. */
export const yamlUtilities = lazyModule<typeof Utilities>('yaml/util');
