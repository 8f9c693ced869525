import { resolve } from 'node:path';
import type { BackupSchedule } from '../backup/schedule.js';
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
  if (given.has('backupInterval'))
    throw new StartError('--backup-interval has no use without --backup-directory');
  if (given.has('backupRetain'))
    throw new StartError('--backup-retain has no use without --backup-directory');
  return undefined;
}
