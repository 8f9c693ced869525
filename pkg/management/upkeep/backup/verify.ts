/** Errors about backups that cannot be used. */
import { codeOf } from '../../../apimachinery/caught.js';
import { textIn } from '../../../apimachinery/encoding/members.js';
import { DamagedBackup } from '../../../storage/backup/read.js';
import { NewerStore } from '../../../storage/storeformat.js';
import type { Verified } from '../../../storage/backup/verify.js';
import type { EncryptionConfig } from '../encryption/keys.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { sourceOf } from './source.js';

/** The maximum number of records that are listed. */
const MAX_SHOWN = 100;

/** The result of `step`. Throws StartError if the file is the reason of its failure. */
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

/** Throws StartError if servers with these keys could not open the restored store. */
export function refuseOtherKeys(
  path: string,
  { lacking, seal }: Pick<Verified, 'lacking' | 'seal'>,
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

/** Lists storage keys, and no content of records. */
export function faultsText({ faults }: Pick<Verified, 'faults'>): string {
  const lines = faults.slice(0, MAX_SHOWN).map(({ key, why }) => `  ${key} ${why}`);
  if (faults.length > MAX_SHOWN) lines.push(`  and ${faults.length - MAX_SHOWN} more`);
  return `${lines.join('\n')}\n`;
}
