/**
 * Records the time of the last backup that `backup create` made: in etcd beside the records, otherwise in a file beside
 * the store.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storage } from '../../../storage/interface.js';
import type { StorageConfig } from '../storageconfig.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

const LAST_BACKUP_KEY = 'backup/last';
const FILE = 'last-backup.json';

export interface LastBackup {
  /** RFC 3339. */
  readonly time: string;
  readonly revision: number;
  /** The checksum of the whole backup, in hexadecimal. */
  readonly checksum: string;
}

/** Rejects with StorageError, and errors of files. */
export async function noteBackup(
  config: StorageConfig,
  engine: Partial<Pick<Storage, 'commit'>>,
  last: LastBackup,
): Promise<void> {
  const value = Buffer.from(JSON.stringify(last));
  if (config.engine === 'embedded') await writeFile(join(config.directory, FILE), value, { mode: 0o600 });
  else await engine.commit?.([{ key: LAST_BACKUP_KEY, value, expect: 'any' }]);
}

/** In seconds since 1970; undefined: no backup is known. Never rejects. */
export async function lastBackupTime(
  config: StorageConfig,
  storage: Pick<Storage, 'get'>,
): Promise<number | undefined> {
  try {
    const value =
      config.engine === 'embedded'
        ? await readFile(join(config.directory, FILE))
        : (await storage.get(LAST_BACKUP_KEY)).record?.value;
    const { time } = parseStored<Partial<LastBackup>>(value ?? Buffer.from('{}'));
    const at = Date.parse(time ?? '');
    return Number.isNaN(at) ? undefined : at / 1000;
  } catch {
    return undefined;
  }
}
