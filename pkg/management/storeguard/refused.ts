import type { RefusalReason } from './storemismatch.js';

const REMEDY =
  'Nothing is served and nothing is deleted until this is mended. Look at --etcd-servers and --etcd-prefix, and whether ' +
  'etcd has its volumes; bring the right store back; or, where this one is to be used, as after a restore, ' +
  'start the servers once with --adopt-store (docs/restore.md)';

/** The store is not the one that it should be: nothing of it is served. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused';
  constructor(
    readonly reason: RefusalReason | 'divided' | 'replaced',
    /** Half a sentence, for people. */
    readonly why: string,
  ) {
    super(`${why}. ${REMEDY}`);
  }
}
