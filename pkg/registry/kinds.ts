/** The kinds that any API server has: each folder `<group>/<kind>/` with a `kind.ts`. */
import { findKinds } from './findkinds.js';
import type { Registration } from './registry.js';

export const KINDS: readonly Registration[] = await findKinds(import.meta.url, (path) => import(path));
