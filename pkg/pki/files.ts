import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../apimachinery/caught.js';

/** The text of a file, undefined where there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file in one step, readable by its owner only (0600), synced to disk; makes its folder (0700) when absent.
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  await writePrivateTogether(dirname(path), { [basename(path)]: text });
}

/** Does so with files of one folder, by their names: one right after the other, when all are on the disk. */
export async function writePrivateTogether(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const suffix = `${randomBytes(6).toString('hex')}.new`;
  const paths = Object.keys(files).map((name) => join(folder, name));
  try {
    for (const [name, text] of Object.entries(files))
      await writeDraft(join(folder, `${name}.${suffix}`), text);
    for (const path of paths) renameSync(`${path}.${suffix}`, path);
  } catch (error) {
    for (const path of paths) await rm(`${path}.${suffix}`, { force: true });
    throw error;
  }
}

async function writeDraft(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
