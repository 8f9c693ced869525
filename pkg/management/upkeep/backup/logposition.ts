/** The position at which the log of a backup directory continues. */
import { join } from 'node:path';
import type { BackupHeader } from '../../../storage/backup/format.js';
import { Lineage } from '../../../storage/backup/lineage.js';
import { DamagedBackup, readBackup } from '../../../storage/backup/read.js';
import { readSegment } from '../../../storage/backup/readsegment.js';
import type { Mark, SegmentHeader } from '../../../storage/backup/segmentformat.js';
import { StartError } from '../../../apimachinery/starterror.js';
import type { ReadBackup } from './age.js';
import { segmentName, segmentsOf } from './directory.js';
import { namingFile } from './verify.js';

export interface LogPosition {
  /** The checksums, in hexadecimal, of the backup at the beginning of the log, and of the last file. */
  readonly base: string;
  readonly previous: string;
  /** The number of the next segment. */
  readonly number: number;
  readonly last: Mark;
  /** The lineage of the store at the last mark. */
  readonly lineage: string;
}

/** The position after the last segment of a backup, or after the backup if it has none. Throws StartError. */
export async function positionAfter(
  directory: string,
  backup: string,
  read: ReadBackup,
): Promise<LogPosition> {
  const last = (await segmentsOf(directory, backup)).at(-1);
  if (last === undefined) return afterBackup(join(directory, backup), read);
  const position = await afterSegment(join(directory, last), read);
  // A renamed segment could be overwritten by the next one.
  if (segmentName(backup, position.number - 1) !== last)
    throw new StartError(
      `${join(directory, last)} is segment ${position.number - 1} by what it has: give it the name that it had`,
    );
  return position;
}

/** Throws StartError. */
export function headerIn(path: string, read: ReadBackup): Promise<BackupHeader> {
  return namingFile(
    path,
    (async () => {
      for await (const part of readBackup(read(path))) if (part.part === 'header') return part.header;
      throw new DamagedBackup('is cut short: it has no header');
    })(),
  );
}

function afterBackup(path: string, read: ReadBackup): Promise<LogPosition> {
  return namingFile(
    path,
    (async () => {
      const lineage = new Lineage();
      let header: BackupHeader | undefined;
      for await (const part of readBackup(read(path))) {
        if (part.part === 'header') ({ header } = part);
        else if (part.part === 'records') part.records.forEach((record) => lineage.add(record));
        else if (header !== undefined) {
          const base = part.checksum.toString('hex');
          const last = { time: Date.parse(header.time), revision: header.revision };
          return { base, previous: base, number: 1, last, lineage: lineage.text };
        }
      }
      throw new DamagedBackup('is cut short: its end is missing');
    })(),
  );
}

function afterSegment(path: string, read: ReadBackup): Promise<LogPosition> {
  return namingFile(
    path,
    (async () => {
      let header: SegmentHeader | undefined;
      for await (const part of readSegment(read(path))) {
        if (part.part === 'header') ({ header } = part);
        if (part.part !== 'end' || header === undefined) continue;
        const { time, revision, lineage } = part.end;
        const previous = part.checksum.toString('hex');
        return { base: header.base, previous, number: header.number + 1, last: { time, revision }, lineage };
      }
      throw new DamagedBackup('is cut short: its end is missing');
    })(),
  );
}
