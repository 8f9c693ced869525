import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../apimachinery/caught.js';

/** Reads a file; undefined if it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file atomically, readable by its owner only (0600) and synced to disk; creates its folder (0700) if
 * needed.
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  await writePrivateTogether(dirname(path), { [basename(path)]: text });
}

/** Replaces several files of one folder: writes all to disk first, then renames them in order. */
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
