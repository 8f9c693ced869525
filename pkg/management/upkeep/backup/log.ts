/**
 * `backup log`: writes the changes after the newest backup of a directory into segments beside the backup, while
 * servers run.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Encrypter } from 'age-encryption';
import { lineageAt } from '../../../storage/backup/lineage.js';
import type { SegmentEnd } from '../../../storage/backup/segmentformat.js';
import { writeSegment } from '../../../storage/backup/writesegment.js';
import { StorageError } from '../../../storage/interface.js';
import { SERVER_VERSION } from '../../../server/version.js';
import type { StorageConfig } from '../storageconfig.js';
import type { EncryptionConfig } from '../encryption/keys.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { encrypted, type ReadBackup } from './age.js';
import { backupsIn, isAhead, segmentName, segmentsOf } from './directory.js';
import { writeWhole } from './draft.js';
import { removeLeftDraft } from './leftdraft.js';
import { headerIn, positionAfter, type LogPosition } from './logposition.js';
import { readingStore, type BackupSource } from './source.js';

/** How often changes are read from the store, which is the precision of times in the log. */
const CHECK_INTERVAL_MS = 100;

export interface LogOptions {
  /** The directory of backups. */
  readonly directory: string;
  /** When a segment is completed, in ms after its start; undefined: at once, and it is the only one. */
  readonly intervalMs: number | undefined;
  /** Ends the log when it is aborted. */
  readonly signal: AbortSignal;
  /** Encrypts whole files; undefined: values stay encrypted as in the store. */
  readonly encrypter: () => Promise<Encrypter | undefined>;
  readonly read: ReadBackup;
  readonly config: StorageConfig;
  readonly encryption: EncryptionConfig;
  /** Writes messages for the operator. */
  readonly tell: (text: string) => void;
}

/** Throws StartError. Segments that were reported before are complete. */
export async function logChanges(options: LogOptions): Promise<void> {
  const { intervalMs, signal } = options;
  do {
    const [backup, before] = await newestBackups(options.directory);
    await endLogBefore(options, backup, before);
    await writeNext(options, backup, intervalMs);
  } while (intervalMs !== undefined && !signal.aborted);
}

/** The newest backup and the one before it, of those that are not dated in the future, if there are any. */
async function newestBackups(directory: string): Promise<readonly [string, string | undefined]> {
  const names = await backupsIn(directory).catch((error: unknown) => {
    throw new StartError(`the directory ${directory} cannot be read: ${inWords(error)}`, { cause: error });
  });
  const past = names.filter((name) => !isAhead(name));
  const [backup, before] = (past.length > 0 ? past : names).slice(-2).reverse();
  if (backup === undefined)
    throw new StartError(`${directory} has no backup: run backup create ${directory}/ first`);
  return [backup, before];
}

/** Completes the log of the former backup, so that a log with a newer backup has no gap before it. */
async function endLogBefore(options: LogOptions, backup: string, before: string | undefined): Promise<void> {
  const { directory, read, tell } = options;
  if (before === undefined || (await segmentsOf(directory, backup)).length > 0) return;
  if ((await segmentsOf(directory, before)).length === 0) return;
  const { time } = await headerIn(join(directory, backup), read);
  if ((await positionAfter(directory, before, read)).last.time >= Date.parse(time)) return;
  await writeNext(options, before, undefined).catch((error: unknown) => {
    if (!(error instanceof LogGap)) throw error;
    tell(`the log before ${backup} ends early: ${error.message}\n`);
  });
}

/** The log cannot continue, and a new backup is required. */
class LogGap extends StartError {}

async function writeNext(options: LogOptions, backup: string, intervalMs: number | undefined): Promise<void> {
  const { directory, config, encryption, read, tell } = options;
  const position = await positionAfter(directory, backup, read);
  const file = join(directory, segmentName(backup, position.number));
  if (!(await removeLeftDraft(file, options.signal))) return;
  const { changes, time, revision } = await readingStore(config, encryption, async (source) => {
    await refuseGap(source, position, directory);
    return writeFrom(source, position, file, options, intervalMs);
  });
  const at = new Date(time).toISOString();
  tell(`${changes} changes up to revision ${revision}, at ${at}, are in ${file}\n`);
}

/** Throws LogGap. */
async function refuseGap(
  { engine, revision }: BackupSource,
  { last, lineage }: LogPosition,
  directory: string,
): Promise<void> {
  const again = `make a new backup with backup create ${directory}/ and run it again`;
  if (revision < last.revision)
    throw new LogGap(
      `the store is at revision ${revision}, and the log in ${directory} at ${last.revision}: it is another store, or an older copy; ${again}`,
    );
  const found = await lineageAt(engine, last.revision).catch((error: unknown) => {
    throw gapOf(error, last.revision, again) ?? error;
  });
  if (found !== lineage)
    throw new LogGap(
      `the log in ${directory} is of another store, or of an older copy of this one; ${again}`,
    );
}

function gapOf(error: unknown, revision: number, again: string): LogGap | undefined {
  if (!(error instanceof StorageError) || error.failure.code !== 'compacted') return undefined;
  return new LogGap(
    `the log ends at revision ${revision}, and the store's history after it is gone: ${again}`,
    // The cause is replaced: otherwise the error of the store itself would be reported instead of this one.
    { cause: { error } },
  );
}

async function writeFrom(
  { engine, writer }: BackupSource,
  { base, previous, number, last }: LogPosition,
  file: string,
  { signal, encrypter, directory }: LogOptions,
  intervalMs: number | undefined,
): Promise<SegmentEnd> {
  const changes = engine.changes(last.revision);
  const ends = performance.now() + (intervalMs ?? 0);
  let made: SegmentEnd | undefined;
  const segment = writeSegment({
    header: {
      program: SERVER_VERSION,
      engine: engine.commit === undefined ? 'embedded' : 'etcd',
      base,
      previous,
      number,
      after: last.revision,
    },
    last,
    seal: writer,
    changes,
    lineageAt: (revision) => lineageAt(engine, revision),
    wait: async () => {
      const left = ends - performance.now();
      if (left <= 0 || signal.aborted) return false;
      await sleep(Math.min(CHECK_INTERVAL_MS, left), undefined, { signal }).catch(() => undefined);
      return !signal.aborted && performance.now() < ends;
    },
    done: (end) => (made = end),
  });
  try {
    await writeWhole(file, encrypted(segment, await encrypter()));
  } catch (error) {
    throw gapOf(error, last.revision, `make a new backup with backup create ${directory}/`) ?? error;
  } finally {
    changes.close();
  }
  if (made === undefined) throw new Error('the segment has no end');
  return made;
}
