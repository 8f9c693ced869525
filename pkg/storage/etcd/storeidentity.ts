/**
 * Detects answers of another etcd cluster, or of one whose revision went back: a member that was recreated, or restored
 * from a backup, at the same address answers as if nothing had been stored.
 */
import { StorageError } from '../interface.js';

/** The header of an answer, as in etcd's `rpc.proto`: integers, or their decimal text. */
export interface AnswerHeader {
  readonly cluster_id: string;
  readonly revision: string | number;
}

export class StoreIdentity {
  private readonly lost: (reason: string) => void;
  private cluster: string | undefined;
  private newest = 0;
  private failure: StorageError | undefined;

  /** @param lost called once, with the reason */
  constructor(lost: (reason: string) => void) {
    this.lost = lost;
  }

  /** The newest etcd revision seen: answers to later linearizable requests have at least this one. */
  newestRevision(): number {
    return this.newest;
  }

  /** Throws StorageError `unavailable` once any answer was not of this store. */
  check(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /**
   * Checks a linearizable answer. Throws as `check`.
   * @param floor `newestRevision()` when the request was sent
   */
  checkLinearizable(header: AnswerHeader, floor: number): void {
    this.checkCluster(header);
    const revision = Number(header.revision);
    if (revision < floor)
      this.fail(
        `etcd has gone back from revision ${floor} to ${revision}, as after a restore or a lost volume`,
      );
    this.check();
    this.newest = Math.max(this.newest, revision);
  }

  /** Checks an answer whose revision may be older. Throws as `check`. */
  checkCluster({ cluster_id }: Pick<AnswerHeader, 'cluster_id'>): void {
    // Fakes in tests have none.
    if (cluster_id !== '0' && cluster_id !== '') {
      this.cluster ??= cluster_id;
      if (this.cluster !== cluster_id)
        this.fail(`etcd cluster ${hexadecimal(cluster_id)} answers where ${hexadecimal(this.cluster)} did`);
    }
    this.check();
  }

  /** Rejects every answer from now on. */
  fail(reason: string): void {
    if (this.failure !== undefined) return;
    this.failure = new StorageError({ code: 'unavailable', reason, outcome: 'unknown' });
    this.lost(reason);
  }
}

/** As `etcdctl` shows it. */
export const hexadecimal = (clusterId: string): string => BigInt(clusterId).toString(16);
