/**
 * Conversion between our revisions and etcd's. etcd gives all writes of a transaction one `mod_revision`;
 * ours is `mod_revision * 64 + position`, the position being that of the write among the events of the
 * transaction.
 */

/** Positions of one etcd revision: 0 to 63. */
export const POSITIONS = 64;
export const LAST_POSITION = POSITIONS - 1;

/** Our revision of the event at `position` of an etcd revision. */
export function revisionOf(etcdRevision: number, position: number): number {
  return etcdRevision * POSITIONS + position;
}

/** Our revision at the end of an etcd revision, as in a list at that etcd revision. */
export function newestOf(etcdRevision: number): number {
  return revisionOf(etcdRevision, LAST_POSITION);
}

export function etcdRevisionOf(revision: number): number {
  return Math.floor(revision / POSITIONS);
}

export function positionOf(revision: number): number {
  return revision % POSITIONS;
}

/** The first etcd revision that holds events after `revision`. */
export function firstEtcdRevisionAfter(revision: number): number {
  return Math.floor((revision + 1) / POSITIONS);
}

/** The etcd revision to compact to so that our `revision` and later ones stay readable; 0: none. */
export function compactionTarget(revision: number): number {
  // A read inside an etcd revision starts from the previous one.
  return firstEtcdRevisionAfter(revision) - 1;
}
