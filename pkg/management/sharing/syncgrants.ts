/** What a secret says about the spaces and virtual clusters that it may be written into. */
import type { KubeObject } from '../../../api/resource.js';
import { ALL, accessOf, accessRights, type ObjectRight } from './rights.js';

export const SYNC = 'sync';

/** The places that a secret may be written into. Whatever else may read it is no reason to. */
export interface SyncGrants {
  /** The owners of places, by the verb `sync` in `spec.access`. */
  readonly owners: readonly ObjectRight[];
  /** Names of projects whose places may have it, by the same verb. */
  readonly projects: ReadonlySet<string>;
  /** Names of spaces in the project of a ProjectSecret, by its `spec.sync`. */
  readonly spaces: ReadonlySet<string>;
}

interface SyncedSpec {
  readonly sync?: { readonly spaces?: readonly string[] };
}

const specOf = ({ spec }: KubeObject): SyncedSpec => spec ?? {};

export const NO_GRANTS: SyncGrants = { owners: [], projects: new Set(), spaces: new Set() };

export function syncGrantsOf(object: KubeObject): SyncGrants {
  const allows = (verbs: readonly string[] = []): boolean => verbs.includes(SYNC) || verbs.includes(ALL);
  return {
    owners: accessRights({ plural: '', subresources: [], reservedSubresources: [] }, object).filter(
      ({ verbs }) => allows(verbs),
    ),
    projects: new Set(
      accessOf(object).flatMap(({ verbs, projects = [] }) => (allows(verbs) ? projects : [])),
    ),
    spaces: new Set(specOf(object).sync?.spaces ?? []),
  };
}
