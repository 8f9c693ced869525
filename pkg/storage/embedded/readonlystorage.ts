import type { ChangeReader } from '../changes.js';
import type { Storage } from '../interface.js';

/** A store as it is read beside the process that has it. */
export interface ReadOnlyStorage extends Pick<Storage, 'get' | 'scan' | 'close'> {
  /** Those after a revision. */
  changes(after: number): ChangeReader;
}
