import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

const BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** As Linux has it. */
const MAX_LINKS = 40;

/**
 * The folder without symbolic links. Throws where somebody else could put another folder in its place, or led there:
 * every folder and link on the way must belong to root or to the user of this process, and every folder be writable for
 * no one else, or be sticky as /tmp is. These are the rules of sshd for the files that it believes (StrictModes), for
 * the same reason; sshd resolves links first, and creates nothing.
 */
export function trustedFolder(path: string): string {
  const steps = resolve(path).split('/');
  let links = 0;
  let folder = '/';
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    if (step === '..') {
      folder = dirname(folder);
      continue;
    }
    const next = join(folder, step);
    const target = trustedStep(next);
    if (target === undefined) {
      folder = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new Error(`${path} has too many symbolic links`);
    if (isAbsolute(target)) folder = '/';
    steps.unshift(...target.split('/'));
  }
  return folder;
}

/** Where it leads, if it is a link. */
function trustedStep(path: string): string | undefined {
  const stat = lstatSync(path);
  if (stat.uid !== 0 && stat.uid !== process.geteuid?.()) throw new Error(`${path} belongs to another user`);
  if (stat.isSymbolicLink()) return readlinkSync(path);
  if ((stat.mode & BY_OTHERS) !== 0 && (stat.mode & STICKY) === 0)
    throw new Error(`${path} can be written by other users`);
  return undefined;
}
