import type { ResourceCache } from '../../cache/interface.js';
import type { RecordStorage } from '../transaction/waitforcache.js';

/** A kind whose objects another API server stores. */
export interface HostKind {
  /** The prefix of its keys: */
  readonly prefix: string;
  readonly storage: RecordStorage;
  /** The cache, by the host's revisions. */
  readonly cache: ResourceCache;
}

export type FindHostKind = (key: string) => HostKind | undefined;

/** Finds kinds by the prefix of keys. */
export function hostKindFinder(kinds: readonly HostKind[]): FindHostKind {
  const byPrefix = new Map(kinds.map((kind) => [kind.prefix, kind]));
  return (key) => {
    const group = key.indexOf('/', key.indexOf('/') + 1);
    return byPrefix.get(key.slice(0, key.indexOf('/', group + 1) + 1));
  };
}
