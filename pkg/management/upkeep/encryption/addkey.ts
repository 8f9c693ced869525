/** Adds a new key at the top of a file of keys. */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { MAX_KEYS, newDataKey, parseKeyFile } from '../../../storage/encryption/keyfile.js';
import { syncDirectory } from './keyfile.js';
import { isLeftBehind } from '../leftbehind.js';
import { inWords, StartError } from '../../../apimachinery/starterror.js';
import { codeOf } from '../../../apimachinery/caught.js';

/** Another process is adding a key, or was killed and left its draft. */
export class KeyIsBeingAdded extends Error {}

/**
 * Replaces the file atomically, and keeps its mode and owner. The name of the draft is a lock against a second process;
 * the lock of a killed process expires after a minute. Throws KeyIsBeingAdded and StartError; the file is unchanged
 * then.
 */
export function addKey(path: string): void {
  try {
    const real = realpathSync(path);
    const draft = `${real}.new`;
    const file = openDraft(draft);
    try {
      writeNext(file, real);
      renameSync(draft, real);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    syncDirectory(dirname(real));
  } catch (error) {
    if (error instanceof KeyIsBeingAdded) throw error;
    throw new StartError(
      `--encryption-key-file ${path}: no key was added: ${inWords(error)}. Where the file is mounted, put a new line at its top where it comes from`,
      { cause: error },
    );
  }
}

/** Writes the next content of `path`, with its mode and owner. Other users must not be able to change the draft. */
function writeNext(draft: number, path: string): void {
  const { mode, uid, gid } = statSync(path);
  const text = readFileSync(path, 'utf8');
  if (parseKeyFile(text).length >= MAX_KEYS)
    throw new Error(
      `it has ${MAX_KEYS} keys, and no more are read: first remove the lines of those that encryption status calls not needed`,
    );
  // writeFileSync writes everything or throws; writeSync may write only a part if the disk becomes full.
  writeFileSync(draft, withKey(text));
  keepOwner(draft, uid, gid);
  fchmodSync(draft, mode & 0o777);
  fsyncSync(draft);
}

function openDraft(draft: string): number {
  try {
    return openSync(draft, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const found = statSync(draft, { throwIfNoEntry: false });
    if (found === undefined || !isLeftBehind(found)) throw new KeyIsBeingAdded(draft);
    unlinkSync(draft);
    return openSync(draft, 'wx', 0o600);
  }
}

/** Comments keep their positions. */
function withKey(text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  return [...lines.slice(0, at), newDataKey().toString('base64'), ...lines.slice(at)].join('\n');
}

function keepOwner(draft: number, uid: number, gid: number): void {
  const { uid: own, gid: ownGroup } = fstatSync(draft);
  if (own === uid && ownGroup === gid) return;
  fchownSync(draft, uid, gid);
}
