/** Verifies that a backup is complete, and that the given keys decrypt it. */
import type { BackupEnd, BackupHeader } from './format.js';
import { DamagedBackup, readBackup } from './read.js';
import type { RecordCheck, Checked } from './recordcheck.js';
import { checkSeal, type Seal } from './seal.js';

export interface Verified extends Checked {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
  /** The checksum of the whole file, in hexadecimal. */
  readonly checksum: string;
  /** Undefined: the process that wrote it had no key. */
  readonly seal: Seal | undefined;
}

/** Reads the whole backup, into a `check` that may continue with the segments after it. Throws DamagedBackup, NewerStore, and what both throw. */
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
