/** A file that appears whole or not at all. */
import { open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { syncDirectory } from '../encryption/keyfile.js';
import { inWords, StartError } from '../starterror.js';
import { codeOf } from '../../../pkg/apimachinery/caught.js';

/** A draft that nobody wrote to for so long was left behind by a process that was killed. */
const LEFT_BEHIND_MS = 60_000;

/**
 * Writes beside it and puts it in its place at the end, both on disk when it resolves; what was there before stays until then.
 * For this user only. Rejects with StartError where the disk is full, or the like, and as `chunks`; the draft is gone then.
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const real = resolve(path);
  const draft = `${real}.partial`;
  const failed = (error: unknown): StartError =>
    new StartError(`${path} cannot be written: ${inWords(error)}`, { cause: error });
  const file = await openDraft(draft).catch((error: unknown) => {
    throw failed(error);
  });
  try {
    for await (const chunk of chunks)
      await file.writeFile(chunk).catch((error: unknown) => {
        throw failed(error);
      });
    await file.sync().catch((error: unknown) => {
      throw failed(error);
    });
  } catch (error) {
    await file.close();
    await unlink(draft).catch(() => undefined);
    throw error;
  }
  await file.close();
  try {
    await rename(draft, real);
    syncDirectory(dirname(real));
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw failed(error);
  }
}

async function openDraft(draft: string): ReturnType<typeof open> {
  try {
    return await open(draft, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (Date.now() - (await stat(draft)).mtimeMs < LEFT_BEHIND_MS)
      throw new Error(`another process writes it (${draft}), or was ended a moment ago`, { cause: error });
    await unlink(draft);
    return open(draft, 'wx', 0o600);
  }
}
