/** Files that the user names, and files of this program. */
import { mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.js';
import { messageOf, codeOf } from '../../../pkg/apimachinery/caught.js';

const LOCK_TRIES = 50;
const LOCK_WAIT_MS = 100;

/** Undefined if there is no such file. Rejects with a Failure if it cannot be read. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const [code, message] = [codeOf(error), messageOf(error)];
    if (code === 'ENOENT') return undefined;
    throw new Failure('failed', `cannot read ${path}: ${message}`, { cause: error });
  }
}

/** A file that has to be there. Rejects with a Failure. */
export async function readNamed(path: string): Promise<Buffer> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) throw new Failure('failed', `cannot read ${path}: there is no such file`);
  return bytes;
}

/**
 * Writes a file that only its owner may read, by renaming a finished one into place: that of a link is the one that it
 * leads to. Rejects with a Failure.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path); // none yet
  const draft = `${target}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined); // not a folder, or not ours
    throw new Failure('failed', `cannot write ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Does `work` while no other program changes the file: by a lock file beside it, as kubectl has one. A lock that a
 * crashed program left behind is said, not broken. Rejects with a Failure where the lock is not to be had.
 */
export async function whileLocked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const file = `${path}.lock`;
  await takeLock(file);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function takeLock(file: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      return await (await open(file, 'wx', 0o600)).close();
    } catch (error) {
      const [code, message] = [codeOf(error), messageOf(error)];
      if (code !== 'EEXIST')
        throw new Failure('failed', `cannot write ${file}: ${message}`, { cause: error });
    }
    if (tries === LOCK_TRIES)
      throw new Failure(
        'failed',
        `${file} is held since ${await sinceWhen(file)}; remove it if nobody writes`,
      );
    await sleep(LOCK_WAIT_MS);
  }
}

async function sinceWhen(file: string): Promise<string> {
  try {
    return (await stat(file)).mtime.toISOString();
  } catch {
    return 'a moment ago';
  }
}
