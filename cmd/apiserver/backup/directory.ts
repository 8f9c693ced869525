/** A directory of backups, of which the newest stay, each with the segments of its log. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from '../leftbehind.js';

const NAME = /^management-(\d{8}T\d{6}Z)\.backup$/;

/** The time of the backup that the log begins with, and the number: in the order of names they follow the backup. */
const SEGMENT = /^management-(\d{8}T\d{6}Z)\.log\.(\d{6})$/;

const SEGMENT_OR_DRAFT = /^management-(\d{8}T\d{6}Z)\.log\.\d{6}(\.partial)?$/;

/** Of drafts: see `draft.ts`. */
const PARTIAL = '.partial';

/** `management-20261123T003419Z.backup` */
export const nameAt = (time: Date): string =>
  `management-${time.toISOString().replace(/[-:]|\.\d+/g, '')}.backup`;

/** `management-20261123T003419Z.log.000001`, of the log after a backup. */
export const segmentName = (backup: string, number: number): string =>
  `${backup.replace(/\.backup$/, '')}.log.${String(number).padStart(6, '0')}`;

/** Of the log after a backup, in order. Rejects with errors of the file system. */
export async function segmentsOf(directory: string, backup: string): Promise<readonly string[]> {
  const [, time] = NAME.exec(backup) ?? [];
  return (await readdir(directory)).filter((name) => SEGMENT.exec(name)?.[1] === time).sort();
}

/** Whether the operand means a directory, in which backups are named by their time. */
export async function isDirectory(path: string): Promise<boolean> {
  if (path.endsWith('/')) return true;
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Of the backups that are there, the oldest first. Rejects with errors of the file system. */
export async function backupsIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => NAME.test(name)).sort();
}

/** When the newest of them was begun, in ms since 1970; undefined: there is none, or no such directory. */
export async function newestIn(directory: string): Promise<number | undefined> {
  const last = (await backupsIn(directory).catch(() => [])).at(-1);
  const [, date = ''] = NAME.exec(last ?? '') ?? [];
  const at = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Removes all but the newest, what was left of ones that were killed, and the segments of those that are gone. Answers how many
 * backups went. Rejects with errors of the file system.
 */
export async function removeOld(directory: string, retain: number): Promise<number> {
  const whole = await backupsIn(directory);
  const last = whole.at(-1) ?? '';
  const partial = (await readdir(directory)).filter(
    (name) => name.endsWith(PARTIAL) && NAME.test(name.slice(0, -PARTIAL.length)) && name < last,
  );
  const old = [...whole.slice(0, -retain), ...partial];
  for (const name of old) await unlink(join(directory, name));
  const oldest = NAME.exec(whole.slice(-retain)[0] ?? '')?.[1] ?? '';
  for (const name of await readdir(directory)) {
    const [, time] = SEGMENT_OR_DRAFT.exec(name) ?? [];
    if (time === undefined || time >= oldest) continue;
    if (!name.endsWith(PARTIAL) || (await isLeft(join(directory, name)))) await unlink(join(directory, name));
  }
  return old.length;
}

/** Not one that is written, or has become a segment meanwhile. */
async function isLeft(draft: string): Promise<boolean> {
  const found = await stat(draft).catch(() => undefined);
  return found !== undefined && isLeftBehind(found);
}
