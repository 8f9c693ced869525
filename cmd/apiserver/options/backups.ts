import { resolve } from 'node:path';
import { StartError } from '../starterror.js';
import type { Options } from './options.js';

type Given = Pick<
  Options,
  'backupDirectory' | 'backupInterval' | 'backupRetain' | 'backupRecipient' | 'backupPassphraseFile' | 'given'
>;

/** Of what only a server that makes backups uses. */
const DEPENDENT = [
  ['backupInterval', 'backup-interval'],
  ['backupRetain', 'backup-retain'],
  ['backupRecipient', 'backup-recipient'],
  ['backupPassphraseFile', 'backup-passphrase-file'],
] as const;

/** Undefined: the server makes none by itself. Throws StartError. */
export function backupsOf(options: Given): BackupSchedule | undefined {
  const { backupDirectory, backupInterval, backupRetain, backupRecipient, backupPassphraseFile } = options;
  if (backupDirectory !== undefined)
    return {
      directory: resolve(backupDirectory),
      intervalMs: backupInterval,
      retain: backupRetain,
      recipients: backupRecipient,
      passphraseFile: backupPassphraseFile === undefined ? undefined : resolve(backupPassphraseFile),
    };
  const alone = DEPENDENT.find(([option]) => options.given.has(option));
  if (alone !== undefined) throw new StartError(`--${alone[1]} requires --backup-directory`);
  return undefined;
}

/** When the server backs up its store by itself, and what it keeps. */
export interface BackupSchedule {
  /** Absolute. */
  readonly directory: string;
  readonly intervalMs: number;
  /** So many stay. */
  readonly retain: number;
  /** Of age, separated by commas: who may read a backup as a whole. */
  readonly recipients: string | undefined;
  /** Absolute. The passphrase by which age encrypts a backup as a whole; not with `recipients`. */
  readonly passphraseFile: string | undefined;
}
