/** `backup verify`: verifies a backup with the segments of its log, or a directory of them. */
import type { VerifiedChain } from '../../../pkg/storage/backup/chain.js';
import type { EncryptionConfig } from '../../../pkg/management/upkeep/encryption/keys.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import type { ReadBackup } from '../../../pkg/management/upkeep/backup/age.js';
import { chainsIn, openChain, type ChainPaths } from '../../../pkg/management/upkeep/backup/chain.js';
import { keysOfBackup } from '../../../pkg/management/upkeep/backup/source.js';
import { faultsText } from '../../../pkg/management/upkeep/backup/verify.js';
import { recordsText } from '../../../pkg/management/upkeep/counted.js';

export interface VerifyOptions {
  readonly encryption: EncryptionConfig;
  readonly read: ReadBackup;
  readonly tell: (text: string) => void;
}

/** Verifies that backups and logs are complete, and that the given keys decrypt them. Throws StartError. */
export async function verifyCommand(operands: readonly string[], options: VerifyOptions): Promise<void> {
  for (const paths of await chainsIn(operands)) await verifyOne(paths, options);
}

async function verifyOne(paths: ChainPaths, { encryption, read, tell }: VerifyOptions): Promise<void> {
  const { base: file } = paths;
  const { verified } = await openChain(paths, keysOfBackup(encryption), encryption, read);
  const { base, segments, checked, end } = verified;
  tell(summaryOf(verified));
  const { faults } = checked;
  if (faults.length > 0) {
    tell(faultsText(checked));
    throw new StartError(`backup ${file} has ${recordsText(faults.length)} that cannot be used`);
  }
  const opened = base.seal === undefined ? '' : ', and the keys open it';
  if (segments.length === 0) return tell(`${file} is whole${opened}\n`);
  const log = `the log of ${segments.length} segments up to ${new Date(end.time).toISOString()}`;
  const sealed = segments.every(({ seal }) => seal !== undefined);
  tell(`${file} and ${log} are whole${sealed ? opened.replace('it', 'them') : ''}\n`);
}

function summaryOf({ base, segments, checked }: VerifiedChain): string {
  const { header, end, checksum, seal } = base;
  const keys = [...checked.byKey].map(([name, records]) => `${records} encrypted with key ${name}`);
  const changes = segments.reduce((sum, segment) => sum + segment.end.changes, 0);
  const log = segments.length === 0 ? [] : [`${changes} changes in ${segments.length} segments`];
  return `${[
    `backup of ${header.time}, at revision ${header.revision} of a store on ${header.engine}, by release ${header.program}`,
    `${[`${recordsText(end.records)}, ${end.bytes} bytes`, ...log, ...keys].join('; ')}`,
    seal === undefined ? 'not sealed: whoever made it had no key' : `sealed with key ${seal.keyName}`,
    `checksum ${checksum}`,
  ].join('\n')}\n`;
}
