/** The file of data keys: found, judged, read and made. */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../../pkg/storage/encryption/keyfile.js';
import { inWords, StartError } from '../starterror.js';
import { codeOf } from '../../../pkg/apimachinery/caught.js';

const ABSENT = ['ENOENT', 'ENOTDIR'];
const OTHERS = 0o007;
const GROUP_AND_OTHERS = 0o077;

/**
 * Apart from the data directory, so that who gets a copy of the one does not have the other. Undefined for a user without
 * a home, as in containers.
 */
export function defaultKeyFile(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_CONFIG_HOME: configured = '' } = env;
  const base = configured.startsWith('/') ? configured : homeConfig();
  return base === undefined ? undefined : join(base, 'management-apiserver', 'encryption.key');
}

function homeConfig(): string | undefined {
  try {
    return join(homedir(), '.config');
  } catch {
    return undefined;
  }
}

/** Undefined when there is no such file. Throws StartError, which never says what is in it. */
export const readKeyFile = (path: string): readonly Buffer[] | undefined =>
  readPrivate('encryption-key-file', path, parseKeyFile);

/** What a file with keys holds; undefined when there is none. Throws StartError, also where others may read it. */
export function readPrivate<T>(flag: string, path: string, parse: (text: string) => T): T | undefined {
  let file: number;
  try {
    // A pipe that nobody writes to would be waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (ABSENT.includes(codeOf(error) ?? '')) return undefined;
    throw failed(flag, path, error);
  }
  try {
    checkMode(flag, path, fstatSync(file));
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof StartError ? error : failed(flag, path, error);
  } finally {
    closeSync(file);
  }
}

/** As ssh does: a file of this user's is for this user alone; one that is mounted may be for a group. */
function checkMode(flag: string, path: string, found: Stats): void {
  const { mode, uid } = found;
  if (!found.isFile()) throw new StartError(`--${flag} ${path}: it is not a regular file`);
  const forbidden = uid === process.getuid?.() ? GROUP_AND_OTHERS : OTHERS;
  if ((mode & forbidden) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  throw new StartError(
    `--${flag} ${path}: other users may read or write it (mode ${shown}); make it your own with chmod 600`,
  );
}

/** Makes the file with a new key, or finds that another server has. It is whole when it has its name. Answers why it cannot be made. */
export function makeKeyFile(path: string): 'made' | 'there' | StartError {
  const whole = resolve(path);
  const draft = `${whole}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(whole), { recursive: true, mode: 0o700 });
    writeWhole(draft, formatKeyFile([newDataKey()]));
    linkSync(draft, whole);
    syncDirectory(dirname(whole));
    return 'made';
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'there';
    return failed('encryption-key-file', path, error);
  } finally {
    remove(draft);
  }
}

function writeWhole(path: string, text: string): void {
  remove(path);
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the names in a directory outlast a loss of power. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // There is none.
  }
}

function failed(flag: string, path: string, error: unknown): StartError {
  return new StartError(`--${flag} ${path}: ${inWords(error)}`, { cause: error });
}
