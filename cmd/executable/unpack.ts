import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Contents, sha256 } from './contents.js';
import { trustedFolder } from './trusted.js';

const OWNER_ALONE = 0o077;
const NATIVE = /\.node$/;

/**
 * The folder below `place` that has the files, which are written unless they are there: `<place>/<digest>`, for this
 * user alone. What it has is compared with the digests each time. Programs that start at the same time may all write
 * it; the first one counts.
 * @throws where the place cannot be written to, cannot run native code, or is not safe from other users
 */
export function unpack(contents: Contents, place: string): string {
  // Nothing is created at the request of another user: root may have been left the home directory of somebody else.
  trustedFolder(nearest(place));
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const folder = join(trustedFolder(place), contents.digest);
  if (existsSync(folder)) {
    if (differenceOf(contents, folder) === undefined) return folder;
    setAside(folder);
  }
  const fresh = mkdtempSync(join(dirname(folder), '.new-'));
  try {
    write(contents, fresh);
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  const difference = differenceOf(contents, folder);
  if (difference !== undefined) throw new Error(difference);
  return folder;
}

function nearest(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearest(dirname(path));
}

function write(contents: Contents, folder: string): void {
  const native = contents.files.filter(({ path }) => NATIVE.test(path));
  const others = contents.files.filter((file) => !native.includes(file));
  for (const file of [...native, ...others]) {
    const path = join(folder, file.path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, contents.read(file), { flag: 'wx', mode: native.includes(file) ? 0o700 : 0o600 });
    if (native.includes(file)) verifyRunnable(path);
  }
}

/** Why a folder is not what `unpack` writes, undefined where it is. */
export function differenceOf(contents: Contents, folder: string): string | undefined {
  const user = process.geteuid?.();
  const { uid, mode } = lstatSync(folder);
  if (uid !== user || (mode & OWNER_ALONE) !== 0) return `${folder} is not for this user alone`;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const found = new Set(files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))));
  if (found.size !== contents.files.length || files.some((entry) => !entry.isFile()))
    return `${folder} has other files`;
  for (const file of contents.files) {
    const path = join(folder, file.path);
    if (!found.has(file.path)) return `${path} is missing`;
    const stat = lstatSync(path);
    if (stat.uid !== user || (stat.mode & OWNER_ALONE) !== 0) return `${path} is not for this user alone`;
    if (sha256(readFileSync(path)) !== file.sha256) return `${path} has other bytes`;
    if (NATIVE.test(path)) verifyRunnable(path);
  }
  return undefined;
}

/** Takes away what is damaged, in one step: another process may be doing the same. */
function setAside(folder: string): void {
  const aside = mkdtempSync(join(dirname(folder), '.old-'));
  try {
    renameSync(folder, join(aside, 'damaged'));
  } catch (error) {
    if (existsSync(folder)) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** Linux grants no right to execute a file where the file system is mounted with noexec: native code would not load. */
function verifyRunnable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Error(`${dirname(path)} is on a file system that runs no programs (noexec)`);
  }
}
