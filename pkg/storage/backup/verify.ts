/** Verifies that a backup is complete, and that the given keys decrypt it. */
import type { Keyring } from '../encryption/interface.js';
import type { BackupEnd, BackupHeader } from './format.js';
import { DamagedBackup, readBackup } from './read.js';
import { RecordCheck, type Checked, type WithSeeds } from './recordcheck.js';
import { checkSeal, type Seal } from './seal.js';

export interface Verified extends Checked {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
  /** The checksum of the whole file, in hexadecimal. */
  readonly checksum: string;
  /** Undefined: the process that wrote it had no key. */
  readonly seal: Seal | undefined;
}

/**
 * Reads the whole backup. Throws DamagedBackup, NewerStore, and what `source` and `withSeeds` throw.
 *
 * @param withSeeds returns the keyring to use from a record on, if the record contains data keys
 */
export const verifyBackup = (
  source: AsyncIterable<Buffer>,
  given: Keyring,
  withSeeds?: WithSeeds,
): Promise<Verified> => verifyBase(source, new RecordCheck(given, withSeeds));

/** As {@link verifyBackup}, for a `check` that continues with the segments after the backup. */
export async function verifyBase(source: AsyncIterable<Buffer>, check: RecordCheck): Promise<Verified> {
  let header: BackupHeader | undefined;
  for await (const part of readBackup(source)) {
    if (part.part === 'header') header = part.header;
    else if (part.part === 'records') await check.add(part.records);
    else if (header !== undefined) {
      const { end, checksum, seal } = part;
      const checked = seal === undefined ? undefined : checkSeal(seal, checksum, check.keyring);
      return { header, end, checksum: checksum.toString('hex'), seal: checked, ...check.found() };
    }
  }
  throw new DamagedBackup('is cut short: its end is missing');
}
