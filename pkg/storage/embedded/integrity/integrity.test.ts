import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  openSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DAMAGED, FIRST_REVISION, type Storage } from '../../interface.js';
import { randomNumbers } from '../../../../test/fixtures/clients/random.js';
import { DirectoryInUseError } from '../directorylock.js';
import { openEmbedded } from '../embedded.js';
import { readEmbedded } from '../readonly.js';
import { encodeRevision, FORMAT, META, openTables, readCounter } from '../tables.js';

const MIB = 1024 * 1024;
const root = mkdtempSync(join(tmpdir(), 'integrity-'));
const whole = join(root, 'whole');
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  const storage = await openEmbedded({ directory: whole });
  for (let i = 0; i < 40; i++) {
    await storage.commit([{ key: `k/${i}`, value: Buffer.alloc(100_000, i), expect: 'absent' }]);
  }
  await storage.close();
});

function overwrite(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, 0);
  closeSync(descriptor);
}

test.each<[string, (file: string) => void, string]>([
  ['whose first pages are zero', (file) => overwrite(file, Buffer.alloc(8192)), 'is damaged'],
  ['that is something else', (file) => writeFileSync(file, 'hello'), 'is damaged'],
  ['cut in half', (file) => truncateSync(file, 2 * 1024 * 1024), 'is cut short: it has'],
  ['cut to its first pages', (file) => truncateSync(file, 8192), 'is cut short: it has'],
  ['that is empty', (file) => truncateSync(file, 0), 'is empty'],
  ['that is gone', (file) => rmSync(file), 'is missing'],
])('a file %s is refused', async (name, damage, fault) => {
  const directory = join(root, name);
  cpSync(whole, directory, { recursive: true, filter: (source) => !source.endsWith('.sock') });
  const file = join(directory, 'data.mdb');
  damage(file);
  await expect(openEmbedded({ directory })).rejects.toThrow(`${file} ${fault}`);
  // Without a file, there is nothing to read.
  if (existsSync(file)) await expect(readEmbedded(directory)).rejects.toThrow(`${file} ${fault}`);
});

test('reports a damaged file that a process has open as in use', async () => {
  const directory = join(root, 'owned');
  cpSync(whole, directory, { recursive: true, filter: (source) => !source.endsWith('.sock') });
  overwrite(join(directory, 'data.mdb'), Buffer.alloc(8192));
  const owner = createServer().listen(join(directory, 'owner-1.sock'));
  await once(owner, 'listening');
  try {
    await expect(openEmbedded({ directory })).rejects.toThrow(DirectoryInUseError);
  } finally {
    owner.close();
    await once(owner, 'close');
  }
  await expect(openEmbedded({ directory })).rejects.toThrow('is damaged');
});

test('opens a copy of an undamaged store', async () => {
  const directory = join(root, 'copy');
  cpSync(whole, directory, { recursive: true, filter: (source) => !source.endsWith('.sock') });
  const storage = await openEmbedded({ directory });
  expect((await storage.get('k/7')).record?.value[0]).toBe(7);
  await storage.close();
});

/**
 * Creates a file with records that fill pages, share pages, were replaced and were deleted. Returns its used bytes, and
 * the first byte of each record.
 */
async function busyStore(
  directory: string,
): Promise<{ bytes: Buffer; used: number; truth: Map<string, Buffer> }> {
  const storage = await openEmbedded({ directory });
  const put = (key: string, size: number, byte: number): Promise<unknown> =>
    storage.commit([{ key, value: Buffer.alloc(size, byte), expect: 'any' }]);
  for (let i = 0; i < 80; i++) await put(`k/${i}`, i % 9 === 0 ? 9_000 : 700, i);
  for (let i = 0; i < 30; i++) await put(`k/${i}`, 300, i + 1);
  for (let i = 40; i < 60; i++) await storage.commit([{ key: `k/${i}`, expect: 'present' }]);
  const { records } = await storage.scan(ALL);
  const truth = new Map(records.map(({ key, value }) => [key, value]));
  await storage.close();
  const bytes = readFileSync(join(directory, 'data.mdb'));
  const lastPage = [0, 4096].map((meta) => Number(bytes.readBigUInt64LE(meta + 144)));
  return { bytes, used: (Math.max(...lastPage) + 1) * 4096, truth };
}

const ALL = { start: 'k/', end: 'k0' };

/** What a server reports about a file: `refused`, or each record; undefined: the record is reported as damaged. */
async function reportOf(bytes: Buffer, name: string): Promise<Map<string, Buffer | undefined> | 'refused'> {
  const directory = join(root, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  writeFileSync(join(directory, 'data.mdb'), bytes);
  let storage: Storage;
  try {
    storage = await openEmbedded({ directory });
  } catch (error) {
    expect(String(error)).toMatch(
      /^Error: \S+data\.mdb is (damaged: |cut short: )[^\n]+; restore it from a backup/,
    );
    return 'refused';
  }
  const { records } = await storage.scan(ALL);
  await storage.close();
  return new Map(records.map(({ key, value, undecryptable }) => [key, undecryptable ? undefined : value]));
}

/** Expects that no record is missing or changed. */
function expectNothingWrong(reported: Map<string, Buffer | undefined>, truth: Map<string, Buffer>): void {
  expect([...reported.keys()]).toEqual([...truth.keys()]);
  for (const [key, value] of reported)
    if (value !== undefined) expect(value.equals(truth.get(key)!)).toBe(true);
}

test('refuses a truncated file unless the missing part was unused', async () => {
  const { bytes, used, truth } = await busyStore(join(root, 'torn'));
  const reported: (Map<string, Buffer | undefined> | 'refused')[] = [];
  for (let left = used - 1; left > used - 40 * 4096; left -= 2 * 4096 - 1000)
    reported.push(await reportOf(bytes.subarray(0, left), 'tail'));
  for (const one of reported) if (one !== 'refused') expectNothingWrong(one, truth);
  expect(reported.filter((one) => one === 'refused').length).toBeGreaterThan(10);
  const zeros = Buffer.from(bytes);
  zeros.fill(0, used - 30 * 4096, used);
  expect(await reportOf(zeros, 'tail')).toBe('refused');
});

test('never returns a wrong value for a flipped bit', async () => {
  const { bytes, used, truth } = await busyStore(join(root, 'flipped'));
  let damaged = 0;
  const random = randomNumbers(7);
  for (let count = 0; count < 80; count += 1) {
    const flipped = Buffer.from(bytes);
    // One of four flips is in the meta pages, which lead to all others.
    const at = Math.floor(random() * (count % 4 === 0 ? 8192 : used));
    flipped[at] = flipped[at]! ^ (1 << Math.floor(random() * 8));
    const reported = await reportOf(flipped, 'flip');
    if (reported === 'refused') damaged += 1;
    else {
      expectNothingWrong(reported, truth);
      damaged += [...reported.values()].filter((value) => value === undefined).length;
    }
  }
  expect(damaged).toBeGreaterThan(10);
});

test('reports a damaged record to its readers, and allows overwriting it', async () => {
  const { bytes, truth } = await busyStore(join(root, 'record'));
  bytes[bytes.indexOf(Buffer.alloc(600, 70)) + 5]! ^= 4;
  expect((await reportOf(bytes, 'one')) as unknown).toEqual(new Map([...truth, ['k/70', undefined]]));
  const storage = await openEmbedded({ directory: join(root, 'one') });
  const failure = { code: 'undecryptable', key: 'k/70', keyName: DAMAGED };
  await expect(storage.get('k/70')).rejects.toMatchObject({ failure });
  const { records } = await storage.scan({ start: 'k/70', end: 'k/71' });
  expect(records).toMatchObject([{ key: 'k/70', undecryptable: DAMAGED, value: Buffer.alloc(0) }]);
  const { revision } = records[0]!;
  const value = Buffer.from('again');
  await expect(storage.commit([{ key: 'k/70', value, expect: revision - 1 }])).rejects.toMatchObject({
    failure,
  });
  const watch = storage.watch(ALL, { after: revision - 1 })[Symbol.asyncIterator]();
  await expect(watch.next()).rejects.toMatchObject({ failure: { code: 'compacted' } });
  await storage.commit([{ key: 'k/70', value, expect: revision }]);
  expect((await storage.get('k/70')).record?.value.toString()).toBe('again');
  await storage.compact(await storage.currentRevision());
  await storage.close();
});

test('refuses a newer format', async () => {
  const directory = join(root, 'newer');
  await (await openEmbedded({ directory })).close();
  const tables = openTables(directory, 64 * MIB);
  await tables.meta.put(META.format, encodeRevision(FORMAT + 1));
  await tables.root.close();
  const refusal = /format 2, and this release reads formats up to 1: start the release that wrote it/;
  await expect(openEmbedded({ directory })).rejects.toThrow(refusal);
  await expect(readEmbedded(directory)).rejects.toThrow(refusal);
});

test('opens a compacted store whose oldest readable revision was not written', async () => {
  const directory = join(root, 'compacted');
  const storage = await openEmbedded({ directory });
  for (let i = 0; i < 5; i++)
    await storage.commit([{ key: 'k/0', value: Buffer.from(String(i)), expect: 'any' }]);
  const newest = await storage.currentRevision();
  await storage.compact(newest - 1);
  await storage.close();
  const tables = openTables(directory, 64 * MIB);
  const compacted = readCounter(tables, META.compacted)!;
  expect(compacted).toBeGreaterThan(FIRST_REVISION);
  await tables.meta.put(META.oldest, encodeRevision(FIRST_REVISION));
  await tables.root.close();
  const failure = { code: 'compacted', oldest: compacted };
  const reader = (await readEmbedded(directory))!;
  await expect(reader.get('k/0', { revision: compacted - 1 })).rejects.toMatchObject({ failure });
  expect((await reader.get('k/0')).record?.value.toString()).toBe('4');
  await reader.close();
  const again = await openEmbedded({ directory });
  await expect(again.get('k/0', { revision: compacted - 1 })).rejects.toMatchObject({ failure });
  expect((await again.get('k/0', { revision: compacted })).record?.value.toString()).toBe('3');
  await again.close();
});

test.each([
  ['newest revision is before the last write', META.revision, -1],
  ['compaction is past the newest revision', META.compacted, 1],
])('refuses a store whose %s', async (title, counter, off) => {
  const directory = join(root, title);
  cpSync(whole, directory, { recursive: true, filter: (source) => !source.endsWith('.sock') });
  const tables = openTables(directory, 64 * MIB);
  await tables.meta.put(counter, encodeRevision(readCounter(tables, META.revision)! + off));
  await tables.root.close();
  await expect(openEmbedded({ directory })).rejects.toThrow('its revisions contradict each other');
});
