/** Reads the time of the last backup, for the metric. */
import type { Storage } from '../../../storage/interface.js';
import { lastBackupTime } from './lastbackup.js';
import type { UpkeepParts } from '../parts.js';

const INTERVAL_MS = 30_000;

export function followBackups(
  { config, state, shutdownHooks }: Pick<UpkeepParts, 'config' | 'state' | 'shutdownHooks'>,
  storage: Pick<Storage, 'get'>,
): void {
  const readTime = async (): Promise<void> => {
    state.lastBackup = (await lastBackupTime(config.storage, storage)) ?? state.lastBackup;
  };
  void readTime();
  const timer = setInterval(() => void readTime(), INTERVAL_MS).unref();
  shutdownHooks.push(() => clearInterval(timer));
}
