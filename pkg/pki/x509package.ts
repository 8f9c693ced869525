import './x509reflect.js';
import { webcrypto } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as X509 from '@peculiar/x509';

let loaded: typeof X509 | undefined;

/** The `@peculiar/x509` package, loaded on first use: most starts and requests do not need it. */
export function x509Package(): typeof X509 {
  if (loaded !== undefined) return loaded;
  // `require` has no type.
  loaded = createRequire(import.meta.url)('@peculiar/x509') as typeof X509;
  loaded.cryptoProvider.set(webcrypto);
  return loaded;
}
