import { afterEach, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prefixEnd, StorageError, type Storage } from '../interface.js';
import { openEmbedded, type EmbeddedOptions } from './embedded.js';

const MIB = 1024 * 1024;
const OBJECTS = { start: 'k/', end: prefixEnd('k/') };

let cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  cleanUps = [];
});

async function temporary(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  cleanUps.push(() => rm(directory, { recursive: true }));
  return directory;
}

async function openHere(options: EmbeddedOptions): Promise<Storage> {
  const storage = await openEmbedded(options);
  cleanUps.push(() => storage.close());
  return storage;
}

const put = (key: string, bytes: number) => ({
  key,
  value: Buffer.alloc(bytes, key),
  expect: 'any' as const,
});

/** Writes new keys until the store refuses. Returns the number of keys. */
async function fillUp(storage: Storage): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await storage.commit([put(`k/${String(count).padStart(6, '0')}`, 20_000)]);
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError);
      expect((error as StorageError).failure).toMatchObject({ code: 'unavailable', outcome: 'none' });
      return count;
    }
  }
}

async function survivesFullDisk(options: EmbeddedOptions): Promise<void> {
  const storage = await openHere({ ...options, reserveBytes: 4 * MIB, historySeconds: 3600 });
  const count = await fillUp(storage);
  expect(count).toBeGreaterThan(20);
  const { records } = await storage.scan(OBJECTS);
  expect(records).toHaveLength(count);
  const keys = records.map((record) => record.key);
  for (const key of keys.slice(0, keys.length / 2)) await storage.commit([{ key, expect: 'present' }]);
  await storage.compact(await storage.currentRevision());
  for (let attempt = 0; ; attempt++) {
    const written = await storage.commit([put('k/again', 20_000)]).then(
      () => true,
      () => false,
    );
    if (written) break;
    expect(attempt).toBeLessThan(10_000);
  }
  expect((await storage.scan(OBJECTS)).records).toHaveLength(count - Math.floor(count / 2) + 1);
}

test('a file at its size limit refuses writes, takes deletes and compaction, and recovers', async () => {
  await survivesFullDisk({ directory: await temporary(), maxBytes: 24 * MIB });
});

function mountSmallDisk(directory: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', directory]).status === 0;
}

function mayMount(): boolean {
  const directory = mkdtempSync(path.join(tmpdir(), 'embedded-'));
  try {
    return mountSmallDisk(directory) && spawnSync('umount', [directory]).status === 0;
  } finally {
    rmdirSync(directory);
  }
}

const mountable = mayMount();
(mountable ? test : test.skip)(
  `a full disk refuses writes, takes deletes and compaction, and recovers${mountable ? '' : ' (skipped: may not mount)'}`,
  async () => {
    const disk = await temporary();
    expect(mountSmallDisk(disk)).toBe(true);
    cleanUps.push(() => spawnSync('umount', [disk]));
    await survivesFullDisk({ directory: path.join(disk, 'data') });
  },
);

test('200,000 overwrites of 1,000 objects leave the file bounded', async () => {
  const directory = await temporary();
  const storage = await openHere({ directory, historyBytes: 8 * MIB });
  for (let round = 0; round < 200; round++) {
    const revision = await storage.currentRevision();
    const commits = Array.from({ length: 100 }, (_, one) =>
      storage.commit(Array.from({ length: 10 }, (_unused, part) => put(`k/${one}/${part}`, 500))),
    );
    await Promise.all(commits);
    // Neither a read that stops early nor a closed watch prevents the reuse of old pages.
    const limit = 10;
    expect((await storage.scan(OBJECTS, { revision, limit })).records).toHaveLength(round === 0 ? 0 : limit);
    for await (const batch of storage.watch(OBJECTS, { after: revision })) {
      if (batch.events.length > 0) break;
    }
  }
  expect((await storage.scan(OBJECTS)).records).toHaveLength(1_000);
  expect((await stat(path.join(directory, 'data.mdb'))).size).toBeLessThan(128 * MIB);
});
