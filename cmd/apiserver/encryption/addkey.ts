/** A new key at the top of a file of keys. */
import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { MAX_KEYS, newDataKey, parseKeyFile } from '../../../pkg/storage/encryption/keyfile.js';
import { syncDirectory } from './keyfile.js';
import { isLeftBehind } from '../leftbehind.js';
import { inWords, StartError } from '../starterror.js';
import { codeOf } from '../../../pkg/apimachinery/caught.js';

/** Another process adds a key, or was killed while it did and left its draft. */
export class KeyIsBeingAdded extends Error {}

/**
 * The file is replaced at once, with its mode and owner: it always has either the old keys or all of them. The draft's name
 * keeps a second process out, for a minute where that was killed. Throws KeyIsBeingAdded and StartError; the file is as it was then.
 */
export function addKey(path: string): void {
  const draft = `${path}.new`;
  try {
    const real = realpathSync(path);
    const { mode, uid, gid } = statSync(real);
    const file = openDraft(draft);
    try {
      // Read while nobody else may change it.
      const text = readFileSync(real, 'utf8');
      if (parseKeyFile(text).length >= MAX_KEYS)
        throw new Error(
          `it has ${MAX_KEYS} keys, and no more are read: first remove the lines of those that encryption status calls not needed`,
        );
      writeSync(file, withKey(text));
      fchmodSync(file, mode & 0o777);
      fsyncSync(file);
    } catch (error) {
      unlinkSync(draft);
      throw error;
    } finally {
      closeSync(file);
    }
    keepOwner(draft, uid, gid);
    renameSync(draft, real);
    syncDirectory(dirname(real));
  } catch (error) {
    if (error instanceof KeyIsBeingAdded) throw error;
    throw new StartError(
      `--encryption-key-file ${path}: no key was added: ${inWords(error)}. Where the file is mounted, put a new line at its top where it comes from`,
      { cause: error },
    );
  }
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

/** Comments stay where they are. */
function withKey(text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  return [...lines.slice(0, at), newDataKey().toString('base64'), ...lines.slice(at)].join('\n');
}

function keepOwner(draft: string, uid: number, gid: number): void {
  const { uid: own, gid: ownGroup } = statSync(draft);
  if (own === uid && ownGroup === gid) return;
  chownSync(draft, uid, gid);
}
