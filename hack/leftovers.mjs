// Removes what test runs that were killed left on this machine: their files in memory, with the disks mounted there, and the state
// that they planted for root's server. Later runs would have less memory, and `make run` would find that state.
//   node hack/leftovers.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MEMORY = '/dev/shm';
/** The state of a server of root. A run plants it only where this is a machine of CI, and removes it again. */
export const STATE_OF_ROOT = '/var/lib/management-apiserver';

/** What a file is planted with: nothing that a program can read, and whose run it is. */
export const unreadable = (pid) => `a test must not read this: }{ : [ ${pid}\n`;
/** How the name of the folder of a run begins. */
export const folderOf = (pid) => `tests-${pid}-`;

const PLANTED = /^a test must not read this: \}\{ : \[ (\d+)\n$/;
const FOLDER = /^tests-(\d+)-/;

export function removeLeftovers() {
  const folders = existsSync(MEMORY) ? readdirSync(MEMORY) : [];
  for (const name of folders.filter((one) => isOver(FOLDER.exec(one)))) remove(join(MEMORY, name));
  if (isOver(PLANTED.exec(textOf(join(STATE_OF_ROOT, 'store'))))) remove(STATE_OF_ROOT);
}

const isOver = (match) => match !== null && !existsSync(`/proc/${match[1]}`);

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // There is none, or it is a folder.
  }
}

function remove(folder) {
  const mounted = textOf('/proc/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const path of mounted.filter((one) => one.startsWith(`${folder}/`))) spawnSync('umount', [path]);
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    console.error(`leftovers: ${folder} stays: ${error.message}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) removeLeftovers();
