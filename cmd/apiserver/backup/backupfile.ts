import { createReadStream } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { chunksOf } from '../../../pkg/apimachinery/chunks.js';
import { MAGIC_START } from '../../../pkg/storage/backup/format.js';
import { inWords, StartError } from '../starterror.js';

/** How each age file begins. */
export const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');

/** The bytes of the backup in a file; `-`: the standard input. Errors of the file come from the iteration. */
export const bytesOf = (path: string): AsyncIterable<Buffer> =>
  path === '-' ? process.stdin : chunksOf(createReadStream(path));

/** The file that a path means, of a link what it leads to: so a backup does not take the place of the link. Throws StartError. */
export async function fileAt(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  if (!isLink) return path;
  return realpath(path).catch((error: unknown) => {
    throw new StartError(
      `${path} is a link, and what it leads to cannot be used: ${inWords(error)}; nothing was written`,
    );
  });
}

/** A backup takes the place of an earlier one, or of an empty file, and of nothing else. Throws StartError. */
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
