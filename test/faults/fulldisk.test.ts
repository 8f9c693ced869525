/**
 * The disk becomes full during a restore, a backup or a key rotation: the command reports this with one line, and
 * succeeds when it is repeated with free space.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { prefixEnd, type StoredRecord } from '../../pkg/storage/interface.js';
import { openTestStore, TEST_DATA_KEY } from '../fixtures/stores/encryptionkeys.js';
import {
  emptyDisk,
  fillDisk,
  MIB,
  NO_ROOM,
  secretsIn,
  withStore,
  writeSecrets,
} from '../fixtures/stores/fulldisk.js';
import { runKilled } from '../fixtures/servers/killedcommand.js';
import { mountSmallDisk } from '../robustness/faults/disk.js';

const PREFIX = 'registry/core/configmaps/default/';
const RECORDS = 400;
/** More than the free space on the disk, and less than the free space without the filler. */
const VALUE_BYTES = 30_000;
const LEFT_BYTES = 9 * MIB;
const ROTATED = 200;
/** A rotation writes about three times as much. */
const ROTATION_LEFT_BYTES = 2 * MIB;

const disk = mountSmallDisk();
const place = 'directory' in disk ? disk.directory : '';
const directory = mkdtempSync(join(tmpdir(), 'fulldisk-'));
const keyFile = join(directory, 'encryption.key');
const command = (...argv: string[]): Promise<string> =>
  runKilled(undefined, ...argv, `--encryption-key-file=${keyFile}`);

async function recordsIn(dataDir: string): Promise<readonly StoredRecord[]> {
  const engine = await openEmbedded({ directory: join(dataDir, 'store') });
  const { records } = await engine
    .scan({ start: PREFIX, end: prefixEnd(PREFIX) })
    .finally(() => engine.close());
  return records;
}

beforeAll(async () => {
  writeFileSync(keyFile, formatKeyFile([TEST_DATA_KEY]), { mode: 0o600 });
  const engine = await openEmbedded({ directory: join(directory, 'data', 'store') });
  const store = await openTestStore(engine);
  await store.begin();
  for (let at = 0; at < RECORDS; at += 20)
    await store.storage.commit(
      Array.from({ length: 20 }, (_, n) => ({
        key: `${PREFIX}m-${at + n}`,
        value: Buffer.from(JSON.stringify({ data: String.fromCharCode(97 + n).repeat(VALUE_BYTES) })),
        expect: 'absent' as const,
      })),
    );
  await store.storage.close();
});
afterAll(() => {
  if ('directory' in disk) disk.remove();
  rmSync(directory, { recursive: true, force: true });
});

afterEach(() => {
  for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
});

const backup = join(directory, 'backup');
const source = `--data-dir=${directory}/data`;

const suite = 'directory' in disk ? describe : describe.skip;
suite(`a disk that is full ${'hindrance' in disk ? `(${disk.hindrance})` : ''}`, () => {
  test('in the middle of a restore is reported, and the restore begins again', async () => {
    expect(await command('backup', 'create', backup, source)).toMatch(/^0 /);
    const target = join(place, 'target');
    fillDisk(place, 0);
    expect(await command('restore', backup, `--data-dir=${target}`)).toMatch(NO_ROOM);
    rmSync(target, { recursive: true });
    fillDisk(place, LEFT_BYTES);
    expect(await command('restore', backup, `--data-dir=${target}`)).toMatch(NO_ROOM);
    emptyDisk(place);
    const part = await command('backup', 'create', join(directory, 'part'), `--data-dir=${target}`);
    expect(part).toMatch(/^1 [^\n]*run management-apiserver restore again/);
    expect(await command('restore', backup, `--data-dir=${target}`)).toMatch(/^0 /);
    const values = (records: readonly StoredRecord[]): unknown =>
      records.map(({ key, value }) => [key, value.toString('latin1')]);
    const restored = await recordsIn(target);
    expect(restored).toHaveLength(RECORDS);
    expect(values(restored)).toEqual(values(await recordsIn(join(directory, 'data'))));
  });

  test.each([0, 3 * MIB])(
    'with %d bytes left for a backup is reported, and nothing of it stays',
    async (left) => {
      const folder = join(place, 'backups');
      mkdirSync(folder);
      fillDisk(place, left);
      expect(await command('backup', 'create', join(folder, 'new'), source)).toMatch(NO_ROOM);
      expect(readdirSync(folder)).toEqual([]);
      emptyDisk(place);
      expect(await command('backup', 'create', join(folder, 'new'), source)).toMatch(/^0 /);
      expect(readdirSync(folder)).toEqual(['new']);
    },
  );

  test('in the middle of a rotation is reported, and the rotation continues', async () => {
    const dataDir = join(place, 'data');
    const file = join(directory, 'rotated.key');
    writeFileSync(file, formatKeyFile([TEST_DATA_KEY]), { mode: 0o600 });
    const rotate = (): Promise<string> =>
      runKilled(undefined, 'encryption', 'rotate', `--data-dir=${dataDir}`, `--encryption-key-file=${file}`);
    const keys = (): readonly Buffer[] => parseKeyFile(readFileSync(file, 'utf8'));
    const contents = (): Promise<readonly string[]> =>
      withStore(dataDir, keys(), ({ storage }) => secretsIn(storage));
    await withStore(dataDir, keys(), async (store) => {
      await store.begin();
      await writeSecrets(store.storage, 0, ROTATED);
    });
    const before = await contents();
    expect(before).toHaveLength(ROTATED);
    fillDisk(place, ROTATION_LEFT_BYTES);
    const failed = await rotate();
    expect(failed).toMatch(/^1 /);
    expect(failed.trim().split('\n').at(-1)).toMatch(/disk|space/);
    expect(keys()).toHaveLength(2);
    emptyDisk(place);
    expect(await contents()).toEqual(before);
    expect(await rotate()).toMatch(/^0 goes on with key [^]*done: all is encrypted/);
    expect(await contents()).toEqual(before);
  });

  test.each([
    ['no room', 1, 0],
    ['room for a part of the file', 99, 4096],
  ])('with %s for a new key is reported, and the file of keys stays as it was', async (_, count, left) => {
    const file = join(place, 'encryption.key');
    const text = formatKeyFile([TEST_DATA_KEY, ...Array.from({ length: count - 1 }, newDataKey)]);
    writeFileSync(file, text, { mode: 0o600 });
    fillDisk(place, left);
    expect(
      await runKilled(undefined, 'encryption', 'rotate', source, `--encryption-key-file=${file}`),
    ).toMatch(NO_ROOM);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(place).sort()).toEqual(['encryption.key', 'filler']);
  });
});
