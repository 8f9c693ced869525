/** `backup verify`, and what a restore looks at before it begins. */
import { codeOf } from '../../../pkg/apimachinery/caught.js';
import { textIn } from '../../../pkg/apimachinery/encoding/members.js';
import { DamagedBackup } from '../../../pkg/storage/backup/read.js';
import { NewerStore } from '../../../pkg/storage/format/storeformat.js';
import type { Verified } from '../../../pkg/storage/backup/verify.js';
import { verifyBackup } from '../../../pkg/storage/backup/verify.js';
import type { EncryptionConfig } from '../server/encryption.js';
import { inWords, StartError } from '../starterror.js';
import type { BackupKeys } from './source.js';
import { keysOfBackup, sourceOf } from './source.js';
import type { ReadBackup } from './age.js';

/** So many records are named. */
const MAX_SHOWN = 100;

/** Proves that a backup is whole and that the given keys open it. Throws StartError. */
export async function verifyCommand(
  path: string,
  encryption: EncryptionConfig,
  tell: (text: string) => void,
  read: ReadBackup,
): Promise<void> {
  const verified = await verifyFile(path, keysOfBackup(encryption), read);
  tell(summaryOf(verified));
  refuseOtherKeys(path, verified, encryption);
  const { faults } = verified;
  if (faults.length > 0) {
    tell(faultsText(verified));
    throw new StartError(`backup ${path} has ${faults.length} records that cannot be used`);
  }
  tell(`${path} is whole${verified.seal === undefined ? '' : ', and the keys open it'}\n`);
}

/** Throws StartError. */
export async function verifyFile(
  path: string,
  { keyring, withSeeds }: BackupKeys,
  read: ReadBackup,
): Promise<Verified> {
  return namingFile(path, verifyBackup(read(path), keyring, withSeeds));
}

/** What `step` answers. Throws StartError where the file is what fails it. */
export async function namingFile<T>(path: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof DamagedBackup)
      throw new StartError(`backup ${path} ${error.message}`, { cause: error });
    if (error instanceof NewerStore)
      throw new StartError(`backup ${path}: ${error.message}`, { cause: error });
    if (codeOf(error) !== undefined && textIn(error, 'syscall') !== undefined)
      throw new StartError(`backup ${path} cannot be read: ${inWords(error)}`, { cause: error });
    throw error;
  }
}

/** Throws StartError where servers with these keys would not open what is in the backup. */
export function refuseOtherKeys(
  path: string,
  { lacking, seal }: Verified,
  encryption: EncryptionConfig,
): void {
  const place = sourceOf(encryption);
  if (lacking.length > 0)
    throw new StartError(
      `backup ${path} is of a store that is encrypted with key ${lacking.join(', ')}, which is not in ${place}: give the keys that it was made with`,
    );
  if (seal?.fault !== undefined)
    throw new StartError(`backup ${path} ${seal.fault} in ${place}: give the keys that it was made with`);
}

function summaryOf({ header, end, checksum, byKey, seal }: Verified): string {
  const keys = [...byKey].map(([name, records]) => `${records} encrypted with key ${name}`);
  return `${[
    `backup of ${header.time}, at revision ${header.revision} of a store on ${header.engine}, by release ${header.program}`,
    `${[`${end.records} records, ${end.bytes} bytes`, ...keys].join('; ')}`,
    seal === undefined ? 'not sealed: whoever made it had no key' : `sealed with key ${seal.keyName}`,
    `checksum ${checksum}`,
  ].join('\n')}\n`;
}

/** Names records, and nothing of what is in them. */
export function faultsText({ faults }: Verified): string {
  const lines = faults.slice(0, MAX_SHOWN).map(({ key, why }) => `  ${key} ${why}`);
  if (faults.length > MAX_SHOWN) lines.push(`  and ${faults.length - MAX_SHOWN} more`);
  return `${lines.join('\n')}\n`;
}
