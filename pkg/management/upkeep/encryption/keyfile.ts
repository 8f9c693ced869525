/** Finds, validates, reads and creates the file of data keys. */
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
  type Stats,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../../storage/encryption/keyfile.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { codeOf } from '../../../apimachinery/caught.js';

const ABSENT = ['ENOENT', 'ENOTDIR'];
const OTHERS = 0o007;
const GROUP_AND_OTHERS = 0o077;

/**
 * Outside of the data directory, so that a copy of one does not include the other. Undefined for a user without a home
 * directory, as in containers.
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

/** Undefined if the file does not exist. Throws StartError, which never contains the content of the file. */
export const readKeyFile = (path: string): readonly Buffer[] | undefined =>
  readPrivate('encryption-key-file', path, parseKeyFile);

/**
 * Reads a file with secrets; undefined if it does not exist. Throws StartError, also if other users may read the file.
 */
export function readPrivate<T>(flag: string, path: string, parse: (text: string) => T): T | undefined {
  let file: number;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
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

/**
 * As with ssh, only the current user may read its own file. The group may read a file of another owner, such as a
 * mounted one.
 */
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

/**
 * Creates the file with a new key, unless another server has created it. The file appears atomically. Returns the error
 * if it cannot be created.
 */
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

/** Syncs a directory, so that its entries survive a power failure. */
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
    // The file does not exist.
  }
}

function failed(flag: string, path: string, error: unknown): StartError {
  return new StartError(`--${flag} ${path}: ${inWords(error)}`, { cause: error });
}
