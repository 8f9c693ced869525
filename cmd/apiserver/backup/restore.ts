/** `restore`, and the part of `store copy` that fills a store. */
import type { StoredRecord } from '../../../pkg/storage/interface.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import { readBackup } from '../../../pkg/storage/backup/read.js';
import { beginRestore, fillStore, NotEmpty } from '../../../pkg/storage/backup/restore.js';
import type { Verified } from '../../../pkg/storage/backup/verify.js';
import type { StorageConfig } from '../options/complete.js';
import type { EncryptionConfig } from '../server/encryption.js';
import { needingStore, openEngine } from '../server/storage.js';
import { inWords, StartError } from '../starterror.js';
import { keysOfBackup } from './source.js';
import { faultsText, namingFile, refuseOtherKeys, verifyFile } from './verify.js';
import type { ReadBackup } from './age.js';

export interface RestoreOptions {
  readonly config: StorageConfig;
  readonly encryption: EncryptionConfig;
  /** What the revision of the backup is raised by. */
  readonly bump: number;
  /** Whether a backup is taken that nobody with a key made, though there are keys. */
  readonly allowUnsealed: boolean;
  readonly read: ReadBackup;
  readonly tell: (text: string) => void;
}

/** All of the file is verified before the store is touched. Throws StartError. */
export async function restoreBackup(path: string, options: RestoreOptions): Promise<void> {
  const { config, encryption, bump, tell, read } = options;
  if (path === '-') throw new StartError('restore reads a file twice: write the backup to one first');
  const keys = keysOfBackup(encryption);
  const verified = await verifyFile(path, keys, read);
  refuseOtherKeys(path, verified, encryption);
  if (verified.seal === undefined && keys.encrypts && !options.allowUnsealed)
    throw new StartError(
      `backup ${path} is not sealed: whoever made it had no key of the store, and may have put anything into it; with --allow-unsealed it is restored all the same`,
    );
  if (verified.faults.length > 0)
    tell(
      `${verified.faults.length} records cannot be used, and are restored as they are:\n${faultsText(verified)}`,
    );
  const target = verified.header.revision + bump;
  const records = await fill(config, target, same(path, verified, read));
  tell(
    `restored ${records} records of ${verified.header.time}\nrevisions go on after ${target}: clients list and watch again\n`,
  );
}

/** What was verified, again. Throws StartError where the file has changed since. */
async function* same(
  path: string,
  { checksum }: Verified,
  read: ReadBackup,
): AsyncGenerator<readonly StoredRecord[]> {
  const parts = readBackup(read(path));
  for (;;) {
    const { value: part, done } = await namingFile(path, parts.next());
    if (done === true) return;
    if (part.part === 'records') yield part.records;
    if (part.part === 'end' && part.checksum.toString('hex') !== checksum)
      throw new StartError(`backup ${path} was changed while it was restored: run restore again`);
  }
}

/**
 * Puts records into an empty store whose revisions go on after `target`. Answers how many. Throws StartError: where it
 * began, servers refuse the store until it is run again.
 */
export async function fill(
  config: StorageConfig,
  target: number,
  pages: AsyncIterable<readonly StoredRecord[]>,
): Promise<number> {
  if (!Number.isSafeInteger(target)) throw new StartError('--bump-revision: the revision becomes too large');
  const begun = await withEngine(config, undefined, (engine) => beginRestore(engine));
  return withEngine(config, target, async (engine) => {
    try {
      return await fillStore(engine, begun, pages);
    } catch (error) {
      const reason = error instanceof StorageError && error.cause !== undefined ? error.cause : error;
      throw new StartError(
        `the restore was not finished, and servers refuse the store until it is: ${inWords(reason)}. Run it again`,
        // Not the failure of the store itself, which would be told in the place of this.
        { cause: { error } },
      );
    }
  });
}

async function withEngine<T>(
  config: StorageConfig,
  bumpTo: number | undefined,
  step: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>,
): Promise<T> {
  const engine = await openEngine(config, {}, bumpTo);
  try {
    return await needingStore(config, step(engine));
  } catch (error) {
    throw error instanceof NotEmpty ? new StartError(error.message, { cause: error }) : error;
  } finally {
    await engine.close();
  }
}
