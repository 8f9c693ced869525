/** `store copy`: copies a store into an empty one, with the other engine or at another place. */
import { realpathSync } from 'node:fs';
import { readServers } from '../../../storage/encryption/serversrecord.js';
import { recordsAt } from '../../../storage/backup/write.js';
import type { StorageConfig } from '../storageconfig.js';
import type { EncryptionConfig } from '../encryption/keys.js';
import { StartError } from '../../../apimachinery/starterror.js';
import { fill } from './restore.js';
import { readingStore, type BackupSource } from './source.js';
import { recordsText } from '../counted.js';

export interface CopyOptions {
  readonly from: StorageConfig;
  readonly to: StorageConfig;
  readonly encryption: EncryptionConfig;
  readonly bump: number;
  readonly tell: (text: string) => void;
}

/**
 * Whether both configurations obviously name the same store. If the check misses it, the copy is refused because the
 * store is not empty.
 */
function isSame(from: StorageConfig, to: StorageConfig): boolean {
  if (from.engine === 'embedded')
    return to.engine === 'embedded' && realPath(from.directory) === realPath(to.directory);
  return (
    to.engine === 'etcd' &&
    from.prefix === to.prefix &&
    from.endpoints.some((endpoint) => to.endpoints.includes(endpoint))
  );
}

/** The path without symbolic links, if the directory exists. */
function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/** Throws StartError. */
export async function copyStore({ from, to, encryption, bump, tell }: CopyOptions): Promise<void> {
  if (isSame(from, to))
    throw new StartError('store copy: this is the store that is to be copied; name an empty one');
  await readingStore(from, encryption, async ({ engine, revision }) => {
    const { servers } = await readServers(engine);
    const names = Object.values(servers).map(({ name }) => name);
    if (names.length > 0)
      tell(
        `servers have the store open, or were killed (${names.join(', ')}): what they write from now on is not copied\n`,
      );
    await readAll(engine, revision);
    const records = await fill(to, revision + bump, recordsAt(engine, revision), 'copy').catch(
      (error: unknown) => {
        // The cause is replaced: otherwise the error of one store would be reported as that of the other.
        throw error instanceof StartError ? new StartError(error.message, { cause: { error } }) : error;
      },
    );
    tell(`copied ${recordsText(records)}, as of revision ${revision}; the same keys open them\n`);
  });
}

/** Reads all records first, so that a copy is not started if a record cannot be read. Rejects as {@link recordsAt}. */
async function readAll(engine: BackupSource['engine'], revision: number): Promise<void> {
  const pages = recordsAt(engine, revision);
  while ((await pages.next()).done !== true);
}
