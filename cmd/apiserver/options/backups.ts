import { resolve } from 'node:path';
import { StartError } from '../starterror.js';
import type { Options } from './options.js';

/** Undefined: the server makes none by itself. Throws StartError. */
export function backupsOf({
  backupDirectory,
  backupInterval,
  backupRetain,
  given,
}: Pick<Options, 'backupDirectory' | 'backupInterval' | 'backupRetain' | 'given'>):
  BackupSchedule | undefined {
  if (backupDirectory !== undefined)
    return { directory: resolve(backupDirectory), intervalMs: backupInterval, retain: backupRetain };
  if (given.has('backupInterval')) throw new StartError('--backup-interval requires --backup-directory');
  if (given.has('backupRetain')) throw new StartError('--backup-retain requires --backup-directory');
  return undefined;
}

/** When the server backs up its store by itself, and what it keeps. */
export interface BackupSchedule {
  /** Absolute. */
  readonly directory: string;
  readonly intervalMs: number;
  /** So many stay. */
  readonly retain: number;
}
