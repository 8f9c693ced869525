/** `backup create`: writes the current store to a file or to the standard output, while servers run. */
import { once } from 'node:events';
import { basename, join } from 'node:path';
import type { Encrypter } from 'age-encryption';
import type { BackupEnd } from '../../../storage/backup/format.js';
import { writeBackup } from '../../../storage/backup/write.js';
import { StorageError } from '../../../storage/interface.js';
import { SERVER_VERSION } from '../../../server/version.js';
import type { StorageConfig } from '../storageconfig.js';
import type { EncryptionConfig } from '../encryption/keys.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { encrypted } from './age.js';
import { fileAt, refuseOtherFile } from './backupfile.js';
import { isDirectory, nameAt, removeOld } from './directory.js';
import { writeWhole } from './draft.js';
import { noteBackup } from './lastbackup.js';
import { readingStore, type BackupSource } from './source.js';
import { recordsText } from '../counted.js';

/** The result of a backup. */
interface Made extends BackupEnd {
  readonly revision: number;
  readonly checksum: string;
}

export interface CreateOptions {
  /** A file, a directory, or `-`: the standard output, to which nothing else is written then. */
  readonly path: string;
  /** The number of backups to keep in a directory; undefined: all. */
  readonly retain: number | undefined;
  /** Encrypts the whole file; undefined: values stay encrypted as in the store. */
  readonly encrypter: Encrypter | undefined;
  readonly config: StorageConfig;
  readonly encryption: EncryptionConfig;
  /** Writes messages for the operator. */
  readonly tell: (text: string) => void;
}

/** Throws StartError. */
export async function createBackup(options: CreateOptions): Promise<void> {
  const { path, retain, encrypter, config, encryption, tell } = options;
  const directory = path !== '-' && (await isDirectory(path)) ? path : undefined;
  if (retain !== undefined && directory === undefined)
    throw new StartError('--retain requires a directory of backups, and this is a file');
  const file = directory === undefined ? await fileAt(path) : join(directory, nameAt(new Date()));
  if (file !== '-') await refuseOtherFile(file);
  const { records, bytes, revision, checksum } = await readingStore(config, encryption, async (source) => {
    const made = await write(file, source, encrypter);
    const { revision: at, checksum: sum, time } = made;
    await noteBackup(config, source.engine, { time, revision: at, checksum: sum }).catch((error: unknown) =>
      tell(`the time of this backup is not noted for the metric: ${inWords(error)}\n`),
    );
    return made;
  });
  const name = file === '-' ? 'the standard output' : file;
  tell(
    `${recordsText(records)}, ${bytes} bytes, at revision ${revision} are in ${name}\nchecksum ${checksum}\n`,
  );
  if (directory === undefined || retain === undefined) return;
  const removed = await removeOld(directory, retain, basename(file)).catch((error: unknown) => {
    throw new StartError(`old backups in ${directory} cannot be removed: ${inWords(error)}`, {
      cause: error,
    });
  });
  if (removed > 0) tell(`removed ${removed} that were older\n`);
}

async function write(
  path: string,
  { engine, revision, writer }: BackupSource,
  encrypter: Encrypter | undefined,
): Promise<Made & { readonly time: string }> {
  const time = new Date().toISOString();
  let made: Omit<Made, 'revision'> | undefined;
  const records = writeBackup(engine, {
    header: { program: SERVER_VERSION, time, revision, engine: engineOf(engine) },
    seal: writer,
    done: (end, checksum) => (made = { ...end, checksum }),
  });
  try {
    const chunks = encrypted(records, encrypter);
    await (path === '-' ? writeOut(chunks) : writeWhole(path, chunks));
  } catch (error) {
    if (!(error instanceof StorageError) || error.failure.code !== 'compacted') throw error;
    throw new StartError(
      `the backup took so long that the history of its revision ${revision} is gone: run it again when less is written`,
      // The cause is replaced: otherwise the error of the store itself would be reported instead of this one.
      { cause: { error } },
    );
  }
  if (made === undefined) throw new Error('the backup has no end');
  return { ...made, revision, time };
}

const engineOf = ({ commit }: BackupSource['engine']): string => (commit === undefined ? 'embedded' : 'etcd');

/** Resolves when everything was written. Throws StartError. */
async function writeOut(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdout } = process;
  let failure: Error | undefined;
  stdout.once('error', (error) => (failure = error));
  for await (const chunk of chunks) {
    if (!stdout.write(chunk) && failure === undefined)
      await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]).catch(() => undefined);
    if (failure !== undefined) break;
  }
  await new Promise<void>((resolve) => {
    if (failure !== undefined) return resolve();
    stdout.write('', () => resolve());
  });
  if (failure !== undefined) throw new StartError(`the backup cannot be written: ${inWords(failure)}`);
}
