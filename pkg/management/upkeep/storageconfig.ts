import type { Storage } from '../../storage/interface.js';

/** The location of the state. */
export type StorageConfig =
  | {
      readonly engine: 'embedded';
      readonly directory: string;
      /** Opens the store through the process that owns it. Absent: this process owns it. */
      readonly open?: () => Storage;
    }
  | {
      readonly engine: 'etcd';
      readonly endpoints: readonly string[];
      readonly prefix: string;
      readonly caFile: string | undefined;
      readonly certFile: string | undefined;
      readonly keyFile: string | undefined;
    };
