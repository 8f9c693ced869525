import type * as Yaml from 'yaml';
import type * as Utilities from 'yaml/util';
import { lazyModule } from '../../lazymodule.js';

/** The `yaml` package, loaded on first use: most starts of the server and most requests do not need it. */
export const yamlPackage = lazyModule<typeof Yaml>('yaml');

/** The parts of the package that write documents. */
export const yamlUtilities = lazyModule<typeof Utilities>('yaml/util');
