/** Writes a file atomically. */
import { open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncDirectory } from '../encryption/keyfile.js';
import { isLeftBehind } from '../leftbehind.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { codeOf } from '../../../apimachinery/caught.js';

/** How often the writer of a draft updates its modification time, however slow the disk or the source is. */
const TOUCH_MS = 2_000;

/**
 * Writes a draft beside the file, and renames it at the end. When the function resolves, both are synced to disk; the
 * former file is kept until then. Only the current user may read the file. Rejects with StartError if the file cannot
 * be written (such as on a full disk), and as `chunks`; the draft is then removed.
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const real = resolve(path);
  const draft = draftOf(real);
  const failed = (error: unknown): StartError => notWritten(path, error);
  const file = await openDraft(draft).catch((error: unknown) => {
    throw failed(error);
  });
  const touching = setInterval(() => {
    const now = new Date();
    void file.utimes(now, now).catch(() => undefined);
  }, TOUCH_MS);
  try {
    for await (const chunk of chunks)
      await file.writeFile(chunk).catch((error: unknown) => {
        throw failed(error);
      });
    await file.sync().catch((error: unknown) => {
      throw failed(error);
    });
    if (!(await isStill(draft, file)))
      throw failed(new Error('another process took it over, as this one was held up'));
  } catch (error) {
    if (await isStill(draft, file)) await unlink(draft).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(touching);
    await file.close();
  }
  try {
    await rename(draft, real);
    syncDirectory(dirname(real));
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw failed(error);
  }
}

export const draftOf = (path: string): string => `${resolve(path)}.partial`;

export const notWritten = (path: string, error: unknown): StartError =>
  new StartError(`${path} cannot be written: ${inWords(error)}`, { cause: error });

export const inUse = (draft: string, options?: ErrorOptions): Error =>
  new Error(`another process writes it (${draft}), or was ended a moment ago`, options);

/** Whether the name still refers to the open file. */
async function isStill(draft: string, file: FileHandle): Promise<boolean> {
  const [named, opened] = await Promise.all([stat(draft).catch(() => undefined), file.stat()]);
  return named?.ino === opened.ino && named.dev === opened.dev;
}

async function openDraft(draft: string): Promise<FileHandle> {
  try {
    return await open(draft, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!isLeftBehind(await stat(draft))) throw inUse(draft, { cause: error });
    await unlink(draft);
    return open(draft, 'wx', 0o600);
  }
}
