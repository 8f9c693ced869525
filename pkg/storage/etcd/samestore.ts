/**
 * Whether answers come from the etcd cluster that the first came from, and that has not gone back. A member that was
 * made anew, or restored from a backup, at the same address answers as if nothing had been stored.
 */
import { StorageError } from '../interface.js';

/** Of an answer, as etcd's `rpc.proto` has it: numbers as decimal text. */
export interface AnswerHeader {
  readonly cluster_id: string;
  readonly revision: string | number;
}

export interface SameStore {
  /** The newest etcd revision that was heard of: what answers questions asked from now on has reached it. */
  reached(): number;
  /** Throws StorageError `unavailable` once something has answered that cannot be this store. */
  check(): void;
  /**
   * Of a linearizable answer. Throws as `check`.
   * @param floor what `reached` answered when it was asked
   */
  heard(header: AnswerHeader, floor: number): void;
  /** Of an answer that may be behind. Throws as `check`. */
  saw(header: Pick<AnswerHeader, 'cluster_id'>): void;
  /** Nothing is believed from here on. */
  lose(reason: string): void;
}

/** `lost` is told once, why. */
export function sameStore(lost: (reason: string) => void): SameStore {
  let cluster: string | undefined;
  let newest = 0;
  let failure: StorageError | undefined;

  function lose(reason: string): void {
    if (failure !== undefined) return;
    failure = new StorageError({ code: 'unavailable', reason, outcome: 'unknown' });
    lost(reason);
  }
  function check(): void {
    if (failure !== undefined) throw failure;
  }
  function saw({ cluster_id }: Pick<AnswerHeader, 'cluster_id'>): void {
    // Stand-ins of tests have none.
    if (cluster_id !== '0' && cluster_id !== '') {
      cluster ??= cluster_id;
      if (cluster !== cluster_id)
        lose(`etcd cluster ${hexadecimal(cluster_id)} answers where ${hexadecimal(cluster)} did`);
    }
    check();
  }
  return {
    reached: () => newest,
    check,
    saw,
    lose,
    heard(header, floor) {
      saw(header);
      const revision = Number(header.revision);
      if (revision < floor)
        lose(`etcd has gone back from revision ${floor} to ${revision}, as after a restore or a lost volume`);
      check();
      newest = Math.max(newest, revision);
    },
  };
}

/** As `etcdctl` shows it. */
export const hexadecimal = (clusterId: string): string => BigInt(clusterId).toString(16);
