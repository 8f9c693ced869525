/** Creates and checks the paths that the server writes to, before anything else starts. */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';
import { codeOf } from '../../../pkg/apimachinery/caught.js';

/** A path in an option. */
export interface Place {
  /** The name of the option, without dashes. */
  readonly flag: string;
  /** As the operator wrote it. */
  readonly shown: string;
  /** Absolute. */
  readonly path: string;
  readonly is: 'directory' | 'log';
}

/** Creates directories for this user only, and opens logs. Throws StartError, which names the option. */
export function makePlaces(places: readonly Place[]): void {
  for (const { flag, shown, path, is } of places) {
    try {
      makeDirectory(is === 'log' ? dirname(path) : path);
      if (is === 'log') tryLog(path);
    } catch (error) {
      const { path: at = path } = membersOf(error);
      const where = resolve(shown) === at ? '' : `${String(at)} `;
      throw new StartError(`--${flag} ${shown}: ${where}${inWords(error)}`, { cause: error });
    }
  }
}

/** Not `recursive`: that never returns below `/proc`, where nothing can be created. */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeDirectory(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

/** Pipes and devices are opened at the first write, as opening may wait for a reader. */
function tryLog(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile() && !found.isDirectory()) return;
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    // A full disk does not prevent reads.
    if (codeOf(error) !== 'ENOSPC') throw error;
  }
}
