import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openTables } from './tables.js';
import { writeTransaction } from './transaction.js';

/** A file system of 1 MiB, if this user may mount one. */
function tinyDisk(): string | undefined {
  const directory = mkdtempSync(path.join(tmpdir(), 'embedded-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory]).status === 0) return directory;
  rmSync(directory, { recursive: true });
  return undefined;
}

const disk = tinyDisk();
(disk === undefined ? test.skip : test)(
  `a transaction that the disk has no room for fails with its cause, and the next one passes${disk === undefined ? ' (skipped: may not mount)' : ''}`,
  async () => {
    if (disk === undefined) return;
    const tables = openTables(disk, 64 * 1024 * 1024);
    const write = (revision: number, bytes: number) => {
      const entry = { key: 'k', value: Buffer.alloc(bytes), revision, commitEnd: true, replaces: 0 };
      const plan = { outcomes: [[revision]], entries: [entry] };
      return writeTransaction(tables, { plan, compaction: undefined, oldest: undefined, marks: undefined });
    };
    try {
      await write(65, 400_000);
      await expect(write(66, 2_000_000)).rejects.toThrow(/Input\/output error|No space left/);
      await write(67, 400);
      expect([65, 66, 67].map((revision) => tables.log.get(revision) !== undefined)).toEqual([
        true,
        false,
        true,
      ]);
    } finally {
      await tables.root.close();
      spawnSync('umount', [disk]);
      rmSync(disk, { recursive: true });
    }
  },
);
