/** All kinds of this server: those of `pkg/registry`, and each `kind.ts` of a feature. */
import { findKinds, inOrder } from '../registry/findkinds.js';
import { KINDS as GENERIC } from '../registry/kinds.js';
import type { Registration } from '../registry/registry.js';

const MANAGEMENT: readonly Registration[] = await findKinds(import.meta.url, (path) => import(path));

export const KINDS: readonly Registration[] = inOrder([...GENERIC, ...MANAGEMENT]);
