/**
 * The disk becomes full while a store is copied, or while its changes are logged: the command reports this with one
 * line, and succeeds when it is repeated with free space.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openEtcd } from '../../pkg/storage/etcd/open.js';
import { answered, runKilled, runToEnd } from '../fixtures/servers/killedcommand.js';
import { openTestStore, TEST_DATA_KEY, writeKeyFile } from '../fixtures/stores/encryptionkeys.js';
import { etcdctl, etcdIsThere, startEtcd, type EtcdFixture } from '../fixtures/stores/etcd.js';
import {
  emptyDisk,
  fillDisk,
  MIB,
  NO_ROOM,
  secretsIn,
  withStore,
  writeSecrets,
} from '../fixtures/stores/fulldisk.js';
import { mountSmallDisk } from '../robustness/faults/disk.js';

/** About 12 MB. */
const COUNT = 400;
/** More than an empty store needs, and less than a full one. */
const LEFT_BYTES = 9 * MIB;
const UNFINISHED = /^1 [^\n]*run management-apiserver restore again/;

const disk = mountSmallDisk();
const place = 'directory' in disk ? disk.directory : '';
const directory = mkdtempSync(join(tmpdir(), 'fulldisk-'));
const data = join(directory, 'data');
const keyFile = writeKeyFile(directory);
const command = (...argv: string[]): Promise<string> =>
  runKilled(undefined, ...argv, `--encryption-key-file=${keyFile}`);
const inStore = (dataDir: string): Promise<readonly string[]> =>
  withStore(dataDir, [TEST_DATA_KEY], ({ storage }) => secretsIn(storage));
let before: readonly string[];

beforeAll(async () => {
  await withStore(data, [TEST_DATA_KEY], async (store) => {
    await store.begin();
    await writeSecrets(store.storage, 0, COUNT);
  });
  before = await inStore(data);
  expect(before).toHaveLength(COUNT);
});
afterEach(() => {
  for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
});
afterAll(() => {
  if ('directory' in disk) disk.remove();
  rmSync(directory, { recursive: true, force: true });
});

const suite = 'directory' in disk ? describe : describe.skip;
suite(`a disk that is full ${'hindrance' in disk ? `(${disk.hindrance})` : ''}`, () => {
  test('in the middle of a copy is reported, the store is refused, and the copy begins again', async () => {
    const target = join(place, 'target');
    const copy = (): Promise<string> =>
      command('store', 'copy', `--data-dir=${data}`, `--to-data-dir=${target}`);
    fillDisk(place, LEFT_BYTES);
    const failed = await copy();
    expect(failed).toMatch(NO_ROOM);
    expect(failed).toMatch(/the copy was not finished.*Run it again/);
    emptyDisk(place);
    expect(await command('backup', 'create', join(directory, 'no'), `--data-dir=${target}`)).toMatch(
      UNFINISHED,
    );
    expect(await copy()).toMatch(/^0 copied /);
    expect(await inStore(target)).toEqual(before);
    expect(await inStore(data)).toEqual(before);
  });

  (etcdIsThere() ? describe : describe.skip)('of an etcd', () => {
    let etcd: EtcdFixture | undefined;
    afterEach(() => etcd?.stop());
    const inEtcd = async ({ endpoint }: EtcdFixture): Promise<readonly string[]> => {
      const engine = await answered(() => openEtcd({ endpoints: [endpoint], prefix: '/management' }));
      const { storage } = await openTestStore(engine);
      return secretsIn(storage).finally(() => storage.close());
    };
    const copyTo = ({ endpoint }: EtcdFixture): string[] => [
      'store',
      'copy',
      `--data-dir=${data}`,
      `--to-etcd-servers=${endpoint}`,
      `--encryption-key-file=${keyFile}`,
    ];

    test('in the middle of a copy is reported, and the copy begins again', async () => {
      etcd = await startEtcd({ place });
      fillDisk(place, LEFT_BYTES / 3);
      const failed = await runKilled(undefined, ...copyTo(etcd));
      // The process exits when it cannot write.
      expect(failed).toMatch(
        /^1 [^\n]*the copy was not finished, [^\n]*etcd at http:[^\n]* fails[^\n]*Run it again\n$/,
      );
      emptyDisk(place);
      await etcd.restart();
      const source = `--etcd-servers=${etcd.endpoint}`;
      expect(await command('backup', 'create', join(directory, 'no'), source)).toMatch(UNFINISHED);
      expect(await runToEnd(...copyTo(etcd))).toMatch(/^0 copied /);
      expect(await inEtcd(etcd)).toEqual(before);
      expect(await inStore(data)).toEqual(before);
    });

    test('by a quota in the middle of a copy is reported, and the copy begins again', async () => {
      const quota = (bytes: number): string[] => [`--quota-backend-bytes=${bytes}`];
      etcd = await startEtcd({ flags: quota(2 * MIB) });
      const failed = await runKilled(undefined, ...copyTo(etcd));
      expect(failed).toMatch(NO_ROOM);
      expect(failed).toMatch(/etcd has no space left.*Run it again/);
      await etcd.restart(quota(256 * MIB));
      etcdctl(etcd, ['alarm', 'disarm']);
      const source = `--etcd-servers=${etcd.endpoint}`;
      expect(await command('backup', 'create', join(directory, 'no'), source)).toMatch(UNFINISHED);
      expect(await runToEnd(...copyTo(etcd))).toMatch(/^0 copied /);
      expect(await inEtcd(etcd)).toEqual(before);
    });
  });

  test('in the middle of a log is reported, and the log continues without a gap', async () => {
    const dataDir = join(directory, 'logged');
    const backups = join(place, 'backups');
    mkdirSync(backups);
    const log = (...flags: string[]): Promise<string> =>
      command('backup', 'log', backups, ...flags, `--data-dir=${dataDir}`);
    const write = (from: number, to: number): Promise<void> =>
      withStore(dataDir, [TEST_DATA_KEY], ({ storage }) => writeSecrets(storage, from, to));
    await withStore(dataDir, [TEST_DATA_KEY], (store) => store.begin());
    expect(await command('backup', 'create', `${backups}/`, `--data-dir=${dataDir}`)).toMatch(/^0 /);
    await write(0, 10);
    expect(await log()).toMatch(/^0 /);
    const whole = readdirSync(backups);
    await write(10, 100);
    fillDisk(place, MIB);
    for (const flags of [[], ['--follow', '--segment-interval=1s']]) {
      expect(await log(...flags)).toMatch(NO_ROOM);
      expect(readdirSync(backups)).toEqual(whole);
    }
    expect(await command('backup', 'verify', backups)).toMatch(/^0 /);
    emptyDisk(place);
    await write(100, 110);
    expect(await log()).toMatch(/^0 /);
    const restored = join(directory, 'restored');
    expect(await command('restore', backups, `--data-dir=${restored}`)).toMatch(/^0 /);
    expect(await inStore(restored)).toHaveLength(110);
    expect(await inStore(restored)).toEqual(await inStore(dataDir));
  });
});
