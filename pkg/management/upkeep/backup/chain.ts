/** Finds the files of a chain from operands: a backup and the segments of its log, or a directory with both. */
import { join } from 'node:path';
import { verifyChain, type ChainFile, type VerifiedChain } from '../../../storage/backup/chain.js';
import type { EncryptionConfig } from '../encryption/keys.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import type { ReadBackup } from './age.js';
import { backupsIn, isAhead, isDirectory, segmentsOf } from './directory.js';
import { headerIn } from './logposition.js';
import type { BackupKeys } from './source.js';
import { namingFile, refuseOtherKeys } from './verify.js';

/** Paths of files. */
export interface ChainPaths {
  readonly base: string;
  readonly segments: readonly string[];
}

/** One chain for each backup in a directory, the oldest first. Throws StartError. */
export async function chainsIn([path = '', ...more]: readonly string[]): Promise<readonly ChainPaths[]> {
  if (!(await isDirectoryAlone(path, more))) return [{ base: path, segments: more }];
  const backups = await readable(path, backupsIn(path));
  if (backups.length === 0) throw noBackup(path);
  return Promise.all(backups.map((backup) => chainAfter(path, backup)));
}

const noBackup = (path: string): StartError =>
  new StartError(`${path} has no backup that is named as management-20260102T030405Z.backup: name the file`);

async function isDirectoryAlone(path: string, more: readonly string[]): Promise<boolean> {
  if (path === '-' || !(await isDirectory(path))) return false;
  if (more.length > 0)
    throw new StartError(`${path} is a directory: give it alone, or a backup and its segments`);
  return true;
}

async function chainAfter(directory: string, backup: string): Promise<ChainPaths> {
  const segments = await readable(directory, segmentsOf(directory, backup));
  return { base: join(directory, backup), segments: segments.map((name) => join(directory, name)) };
}

/**
 * For a directory: the newest backup that is not after `until`, in ms since 1970, with its segments. Throws StartError.
 */
export async function chainIn(
  [path = '', ...more]: readonly string[],
  read: ReadBackup,
  until = Infinity,
): Promise<ChainPaths> {
  if (!(await isDirectoryAlone(path, more))) return { base: path, segments: more };
  const backups = await readable(path, backupsIn(path));
  for (const backup of [...backups].reverse()) {
    const base = join(path, backup);
    if (until === Infinity && isAhead(backup)) throw datedAhead(base);
    if (until !== Infinity && Date.parse((await headerIn(base, read)).time) > until) continue;
    return chainAfter(path, backup);
  }
  if (backups[0] === undefined) throw noBackup(path);
  const first = await headerIn(join(path, backups[0]), read);
  throw new StartError(
    `--point-in-time is before the oldest backup in ${path}, of ${first.time}: nothing was changed`,
  );
}

const datedAhead = (path: string): StartError =>
  new StartError(
    `${path} is dated in the future, so the newest backup of the directory is not certain: a clock was or is wrong. Name the backup to restore and the segments of its log, or a time with --point-in-time; nothing was changed`,
  );

const readable = <T>(path: string, step: Promise<T>): Promise<T> =>
  step.catch((error: unknown) => {
    throw new StartError(`the directory ${path} cannot be read: ${inWords(error)}`, { cause: error });
  });

export interface OpenedChain {
  readonly base: ChainFile;
  readonly segments: readonly ChainFile[];
  readonly verified: VerifiedChain;
}

/** Verifies all files, and refuses a backup that servers with these keys could not open. Throws StartError. */
export async function openChain(
  paths: ChainPaths,
  { keyring, withSeeds }: BackupKeys,
  encryption: EncryptionConfig,
  read: ReadBackup,
  until?: number,
): Promise<OpenedChain> {
  const fileOf = (path: string): ChainFile => ({ path, read: () => read(path) });
  const [base, segments] = [fileOf(paths.base), paths.segments.map(fileOf)];
  const verified = await verifyChain(base, segments, { keyring, withSeeds, until, naming: namingFile });
  const { lacking } = verified.checked;
  refuseOtherKeys(base.path, { lacking, seal: verified.base.seal }, encryption);
  for (const [nth, { seal }] of verified.segments.entries())
    refuseOtherKeys(segments[nth]?.path ?? '', { lacking: [], seal }, encryption);
  return { base, segments, verified };
}
