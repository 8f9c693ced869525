import { resolve } from 'node:path';
import { runsAny } from '../../../pkg/management/controllernames.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import type { BackupSchedule } from '../../../pkg/management/upkeep/parts.js';
import type { Options } from './options.js';

type Given = Pick<
  Options,
  | 'backupDirectory'
  | 'backupInterval'
  | 'backupRetain'
  | 'backupRecipient'
  | 'backupPassphraseFile'
  | 'backupLog'
  | 'controllers'
  | 'etcdServers'
  | 'mode'
  | 'workers'
  | 'given'
>;

/** Options that are used only with scheduled backups. */
const DEPENDENT = [
  ['backupInterval', 'backup-interval'],
  ['backupRetain', 'backup-retain'],
  ['backupRecipient', 'backup-recipient'],
  ['backupPassphraseFile', 'backup-passphrase-file'],
  ['backupLog', 'backup-log'],
] as const;

/** Undefined: no scheduled backups. Throws StartError. */
export function backupsOf(options: Given): BackupSchedule | undefined {
  const { backupDirectory, backupInterval, backupRetain, backupRecipient, backupPassphraseFile } = options;
  const { backupLog } = options;
  if (backupLog && backupRecipient !== undefined)
    throw new StartError(
      '--backup-log and --backup-recipient are mutually exclusive: the log reads its last segment, which takes the identity of a recipient; use --backup-passphrase-file',
    );
  if (backupDirectory !== undefined) {
    requireController(options);
    return {
      directory: resolve(backupDirectory),
      intervalMs: backupInterval,
      retain: backupRetain,
      recipients: backupRecipient,
      passphraseFile: backupPassphraseFile === undefined ? undefined : resolve(backupPassphraseFile),
      log: backupLog,
    };
  }
  const alone = DEPENDENT.find(([option]) => options.given.has(option));
  if (alone !== undefined) throw new StartError(`--${alone[1]} requires --backup-directory`);
  return undefined;
}

/**
 * Of several servers on one store the leader makes the backups, and a server without controllers never leads.
 * Throws StartError.
 */
function requireController({ controllers, etcdServers, mode, workers }: Given): void {
  const several = etcdServers !== undefined || workers > 1;
  if (!several || runsAny(controllers, mode)) return;
  const stores = etcdServers === undefined ? '--workers' : '--etcd-servers';
  throw new StartError(
    `--backup-directory with ${stores} requires a controller in --controllers: only the leader makes backups, and a server without controllers never leads`,
  );
}
