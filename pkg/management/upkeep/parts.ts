import type { Logger } from '../../server/logging/log.js';
import type { EtcdSpace } from '../../storage/etcd/space/status.js';
import type { EncryptionConfig } from './encryption/keys.js';
import type { StorageConfig } from './storageconfig.js';

/** The schedule of backups, and their retention. */
export interface BackupSchedule {
  /** Absolute. */
  readonly directory: string;
  readonly intervalMs: number;
  /** The number of backups that are retained. */
  readonly retain: number;
  /** The recipients of age, separated by commas, who can decrypt a backup. */
  readonly recipients: string | undefined;
  /** Absolute path. The passphrase by which age encrypts a backup; not with `recipients`. */
  readonly passphraseFile: string | undefined;
  /** Whether the changes since the newest backup are logged. */
  readonly log: boolean;
}

/** What the upkeep of a store uses of the server that runs. */
export interface UpkeepParts {
  readonly config: {
    readonly storage: StorageConfig;
    readonly encryption: EncryptionConfig;
    /** Undefined: no scheduled backups. */
    readonly backups: BackupSchedule | undefined;
  };
  readonly log: Logger;
  /** Logs failures outside of requests. */
  readonly report: (problem: string, error: unknown) => void;
  /** Run when it stops. */
  readonly shutdownHooks: { push(this: unknown, close: () => unknown): unknown };
  /** Of the metrics. */
  readonly state: {
    /** In seconds since 1970; undefined: no backup is known. */
    lastBackup?: number | undefined;
    /** Undefined: the state is not in etcd, or etcd has not been reached yet. */
    etcdSpace?: EtcdSpace;
  };
  readonly controllers: { leadership(this: void): { readonly leads: boolean } | undefined };
}
