/** `backup create`: the store as it is now, into a file or to the standard output, while servers run. */
import { once } from 'node:events';
import type { BackupEnd } from '../../../pkg/storage/backup/format.js';
import { writeBackup } from '../../../pkg/storage/backup/write.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import { SERVER_VERSION } from '../../../pkg/server/version.js';
import type { StorageConfig } from '../options/complete.js';
import type { EncryptionConfig } from '../server/encryption.js';
import { inWords, StartError } from '../starterror.js';
import { writeWhole } from './draft.js';
import { noteBackup } from './lastbackup.js';
import type { BackupSource } from './source.js';
import { readingStore } from './source.js';
import type { Wrapping } from './wrapping.js';
import { wrapped } from './wrapping.js';

/** What was made of a store. */
interface Made extends BackupEnd {
  readonly revision: number;
  readonly checksum: string;
}

/**
 * `path`: `-` is the standard output, where nothing else is written then. `tell` gets what people read. Throws StartError.
 */
export async function createBackup(
  path: string,
  config: StorageConfig,
  encryption: EncryptionConfig,
  wrapping: Wrapping,
  tell: (text: string) => void,
): Promise<void> {
  const { records, bytes, revision, checksum } = await readingStore(config, encryption, async (source) => {
    const made = await write(path, source, wrapping);
    const { revision: at, checksum: sum, time } = made;
    await noteBackup(config, source.engine, { time, revision: at, checksum: sum }).catch((error: unknown) =>
      tell(`the time of this backup is not noted for the metric: ${inWords(error)}\n`),
    );
    return made;
  });
  const name = path === '-' ? 'the standard output' : path;
  tell(`${records} records, ${bytes} bytes, at revision ${revision} are in ${name}\nchecksum ${checksum}\n`);
}

async function write(
  path: string,
  { engine, revision, keyring }: BackupSource,
  wrapping: Wrapping,
): Promise<Made & { readonly time: string }> {
  const time = new Date().toISOString();
  let made: Omit<Made, 'revision'> | undefined;
  const chunks = writeBackup(engine, {
    header: { program: SERVER_VERSION, time, revision, engine: engineOf(engine) },
    seal: keyring.writers[0],
    done: (end, checksum) => (made = { ...end, checksum }),
  });
  const all = await wrapped(chunks, wrapping);
  try {
    await (path === '-' ? writeOut(all) : writeWhole(path, all));
  } catch (error) {
    if (!(error instanceof StorageError) || error.failure.code !== 'compacted') throw error;
    throw new StartError(
      `the backup took so long that the history of its revision ${revision} is gone: run it again when less is written`,
      { cause: error },
    );
  }
  if (made === undefined) throw new Error('the backup has no end');
  return { ...made, revision, time };
}

const engineOf = ({ commit }: BackupSource['engine']): string => (commit === undefined ? 'embedded' : 'etcd');

/** Resolves when all of it was taken. Throws StartError. */
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
