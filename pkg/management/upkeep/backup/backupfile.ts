import { createReadStream } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { MAGIC_START } from '../../../storage/backup/format.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';

/** The first bytes of an age file. */
export const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');

/** The bytes of the backup in a file; `-`: the standard input. The iterator throws the errors of the file. */
export const bytesOf = (path: string): AsyncIterable<Buffer> =>
  path === '-' ? process.stdin : createReadStream(path);

/** Resolves a path, and a link to its target, so that a backup does not replace the link. Throws StartError. */
export async function fileAt(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  if (!isLink) return path;
  return realpath(path).catch((error: unknown) => {
    throw new StartError(
      `${path} is a link, and what it leads to cannot be used: ${inWords(error)}; nothing was written`,
    );
  });
}

/** A backup may replace only an earlier backup or an empty file. Throws StartError for any other file. */
export async function refuseOtherFile(path: string): Promise<void> {
  const refused = (why: string): StartError => new StartError(`${path} ${why}; nothing was written`);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isFile()) throw refused('is not a regular file: name one, or give - for the standard output');
  const head = await headOf(path).catch((error: unknown) => {
    throw refused(`is there, and cannot be read: ${inWords(error)}`);
  });
  const isBackup = [MAGIC_START, AGE_MAGIC].some((start) => head.subarray(0, start.length).equals(start));
  if (found.size > 0 && !isBackup)
    throw refused('is there, and is no backup: name another file, or remove it first');
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(Math.max(MAGIC_START.length, AGE_MAGIC.length));
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
