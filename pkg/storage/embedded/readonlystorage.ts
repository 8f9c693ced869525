import type { ChangeReader } from '../changes.js';
import type { Storage } from '../interface.js';

/** A store as other processes read it. */
export interface ReadOnlyStorage extends Pick<Storage, 'get' | 'scan' | 'close'> {
  /** The changes after a revision. */
  changes(after: number): ChangeReader;
}
