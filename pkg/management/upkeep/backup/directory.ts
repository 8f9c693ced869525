/** A directory of backups, each with the segments of its log. Old backups are removed. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from '../leftbehind.js';

const NAME = /^management-(\d{8}T\d{6}Z)\.backup$/;

/**
 * The time of the backup at the beginning of the log, and the number of the segment. Sorted by name, segments come
 * after their backup.
 */
const SEGMENT = /^management-(\d{8}T\d{6}Z)\.log\.(\d{6})$/;

const SEGMENT_OR_DRAFT = /^management-(\d{8}T\d{6}Z)\.log\.\d{6}(\.partial)?$/;

/** The suffix of drafts (`draft.ts`). */
const PARTIAL = '.partial';

/** `management-20261123T003419Z.backup` */
export const nameAt = (time: Date): string =>
  `management-${time.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`;

/** `management-20261123T003419Z.log.000001`: the name of a segment after a backup. */
export const segmentName = (backup: string, number: number): string =>
  `${backup.replace(/\.backup$/, '')}.log.${String(number).padStart(6, '0')}`;

/** The segments after a backup, in order. Rejects with errors of the file system. */
export async function segmentsOf(directory: string, backup: string): Promise<readonly string[]> {
  const [, time] = NAME.exec(backup) ?? [];
  return (await readdir(directory)).filter((name) => SEGMENT.exec(name)?.[1] === time).sort();
}

/** Whether the operand is a directory, in which backups are named by their time. */
export async function isDirectory(path: string): Promise<boolean> {
  if (path.endsWith('/')) return true;
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The names of the backups, the oldest first. Rejects with errors of the file system. */
export async function backupsIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => NAME.test(name)).sort();
}

/**
 * The start time of the newest backup, in ms since 1970; undefined: there is no backup, or no such directory.
 *
 * @param until ignores backups with a later time, which a wrong clock made
 */
export async function newestIn(directory: string, until = Infinity): Promise<number | undefined> {
  const times = (await backupsIn(directory).catch(() => [])).map(timeOf);
  return times.findLast((time) => time <= until);
}

/** The maximum difference between the clocks of machines that make backups. */
const MAX_SKEW_MS = 5 * 60_000;

/** Whether a backup is dated in the future: the clock of the machine that made it was ahead, or this machine's is behind. */
export const isAhead = (backup: string): boolean => timeOf(backup) > Date.now() + MAX_SKEW_MS;

/** NaN for a date that does not exist. */
function timeOf(name: string): number {
  const [, date = ''] = NAME.exec(name) ?? [];
  return Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/**
 * Removes all but the newest backups, drafts of processes that were killed, and the segments of removed backups.
 * Returns the number of removed backups. Rejects with errors of the file system.
 *
 * @param made the backup that was just made: it is kept even if a wrong clock gave others a later time
 */
export async function removeOld(directory: string, retain: number, made?: string): Promise<number> {
  const all = await backupsIn(directory);
  const last = made ?? all.at(-1) ?? '';
  const whole = [...all.filter((name) => name !== last), ...all.filter((name) => name === last)];
  const partial = (await readdir(directory)).filter(
    (name) => name.endsWith(PARTIAL) && NAME.test(name.slice(0, -PARTIAL.length)) && name < last,
  );
  const old = [...whole.slice(0, -retain), ...partial];
  for (const name of old) await unlink(join(directory, name));
  const [oldest = ''] = datesOf(whole.slice(-retain)).sort();
  const gone = datesOf(old);
  for (const name of await readdir(directory)) {
    const [, time] = SEGMENT_OR_DRAFT.exec(name) ?? [];
    if (time === undefined || (time >= oldest && !gone.includes(time))) continue;
    if (!name.endsWith(PARTIAL) || (await isLeft(join(directory, name)))) await unlink(join(directory, name));
  }
  return old.length;
}

const datesOf = (names: readonly string[]): string[] =>
  names.map((name) => NAME.exec(name)?.[1]).filter((date) => date !== undefined);

/** Whether the draft is left over: it is neither being written, nor has it become a segment since. */
async function isLeft(draft: string): Promise<boolean> {
  const found = await stat(draft).catch(() => undefined);
  return found !== undefined && isLeftBehind(found);
}
