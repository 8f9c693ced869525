// Where tests keep their files: stores that nobody keeps need no disk, and most suites would wait for its writes. Memory, where the
// machine has enough and programs may be started from there. Suites about disks have devices of their own; `make robustness` uses
// the disk of the machine.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOf, MEMORY } from './leftovers.mjs';

/** Suites side by side use 2 GiB of it. */
const FREE_BYTES = 4 * 2 ** 30;
/** With what their programs take. */
const FREE_MEMORY_BYTES = 8 * 2 ** 30;

/** A new folder for the files of a run: the value of TMPDIR. `remove()` takes it away, with what tests left there. */
export function makeTestFiles() {
  const folder = inMemory() ?? mkdtempSync(join(tmpdir(), folderOf(process.pid)));
  // Tests run programs as other users there.
  chmodSync(folder, 0o755);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

function inMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < FREE_BYTES || process.availableMemory() < FREE_MEMORY_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY, folderOf(process.pid)));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    const { status } = spawnSync(program);
    rmSync(program);
    if (status === 0) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // There is none, or it is not ours.
  }
  return undefined;
}
