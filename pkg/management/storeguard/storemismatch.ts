/** Decides by the notes of both whether a store belongs to a cluster. Pure. */

/** The cluster in the record of a store. */
export interface Binding {
  /** Random, made when the store was bound. */
  readonly id: string;
  /** Of the cluster: the uid of its namespace kube-system. */
  readonly cluster: string;
  /** Grows with writes: an older copy of the store has a lower one. */
  readonly mark: number;
}

/** The state of a store. */
export interface FoundStore {
  /** Whether there is nothing of any server in it. */
  readonly empty: boolean;
  readonly binding: Binding | undefined;
  /** Its newest revision. */
  readonly revision: number;
}

/** The cluster's note of its store. */
export interface NotedStore {
  readonly id: string;
  readonly mark: number;
  /** A revision that the store has reached for certain. */
  readonly revision: number;
}

/** The cluster and its note. */
export interface KnownCluster {
  readonly cluster: string;
  readonly noted: NotedStore | undefined;
  /** Whether it has namespaces of projects. */
  readonly projects: boolean;
}

/** Why a store is not served. */
export type RefusalReason = 'empty' | 'other' | 'behind';

export interface StoreMismatch {
  readonly reason: RefusalReason;
  /** For people: half a sentence. */
  readonly why: string;
}

/** Undefined: it is the cluster's store, or may become it. */
export function storeMismatch(
  store: FoundStore,
  { cluster, noted, projects }: KnownCluster,
): StoreMismatch | undefined {
  const { binding, empty, revision } = store;
  if (noted === undefined) {
    if (binding !== undefined && binding.cluster !== cluster)
      return { reason: 'other', why: `the store ${binding.id} is that of another cluster` };
    if (empty && projects)
      return { reason: 'empty', why: 'the store is empty, and this cluster has namespaces of projects' };
    return undefined;
  }
  if (binding === undefined)
    return empty
      ? { reason: 'empty', why: `the store is empty, and this cluster knows the store ${noted.id}` }
      : { reason: 'other', why: `the store is not ${noted.id}, which this cluster knows` };
  if (binding.id !== noted.id)
    return { reason: 'other', why: `the store is ${binding.id}, and this cluster knows ${noted.id}` };
  if (binding.cluster !== cluster)
    return { reason: 'other', why: `the store ${binding.id} is that of another cluster` };
  return behind(binding.mark, noted.mark, 'mark') ?? behind(revision, noted.revision, 'revision');
}

const behind = (has: number, noted: number, what: string): StoreMismatch | undefined =>
  has >= noted
    ? undefined
    : {
        reason: 'behind',
        why: `the store is older than what this cluster has seen of it (${what} ${has} instead of ${noted})`,
      };
