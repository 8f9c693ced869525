/** `store copy`: copies a store into an empty one, with the other engine or at another place. */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readServers } from '../../../pkg/storage/encryption/serversrecord.js';
import { recordsAt } from '../../../pkg/storage/backup/write.js';
import type { StorageConfig } from '../options/complete.js';
import { endpoints, keyPrefix } from '../options/flags/values.js';
import type { OwnTexts } from '../options/options.js';
import type { EncryptionConfig } from '../options/encryption.js';
import { StartError } from '../starterror.js';
import { parsed, TO_PREFIX_FLAG } from './flags.js';
import { fill } from './restore.js';
import { readingStore, type BackupSource } from './source.js';
import { recordsText } from '../counted.js';

/** The target, from the `--to-…` flags. Throws StartError. */
export function targetOf(text: OwnTexts): StorageConfig {
  const [directory, servers] = [text('to-data-dir'), text('to-etcd-servers')];
  if ((directory === undefined) === (servers === undefined))
    throw new StartError('store copy: give either --to-data-dir or --to-etcd-servers');
  if (directory !== undefined) return { engine: 'embedded', directory: join(resolve(directory), 'store') };
  const [certFile, keyFile] = [text('to-etcd-certfile'), text('to-etcd-keyfile')];
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new StartError('--to-etcd-certfile and --to-etcd-keyfile must be given together');
  return {
    engine: 'etcd',
    endpoints: parsed(text, { name: 'to-etcd-servers' }, endpoints),
    prefix: parsed(text, TO_PREFIX_FLAG, keyPrefix),
    caFile: text('to-etcd-cafile'),
    certFile,
    keyFile,
  };
}

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
