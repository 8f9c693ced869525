/** A disk that gets full in the middle of a restore: the command says so, the part is refused, and again it succeeds. */
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { formatKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { dataKeyring } from '../../pkg/storage/encryption/keyring.js';
import { openEncrypted } from '../../pkg/storage/encryption/openencrypted.js';
import { prefixEnd } from '../../pkg/storage/interface.js';
import type { StoredRecord } from '../../pkg/storage/interface.js';
import { TEST_DATA_KEY } from '../fixtures/encryptionkeys.js';
import { runKilled } from '../fixtures/killedcommand.js';
import { mountSmallDisk } from '../robustness/faults/disk.js';

const MIB = 1024 * 1024;
const PREFIX = 'registry/core/configmaps/default/';
const RECORDS = 1_000;
/** More than is left on the disk, and less than what is on it without the filler. */
const VALUE_BYTES = 30_000;
const LEFT_BYTES = 24 * MIB;

const disk = mountSmallDisk();
const directory = mkdtempSync(join(tmpdir(), 'restorefulldisk-'));
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
  const store = await openEncrypted(engine, dataKeyring([TEST_DATA_KEY]), 'the file');
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
}, 60_000);
afterAll(() => {
  if ('directory' in disk) disk.remove();
  rmSync(directory, { recursive: true, force: true });
});

const place = 'directory' in disk ? disk.directory : undefined;
const name = 'a disk that is full in the middle of a restore';
if (place === undefined && 'hindrance' in disk) test.skip(`${name} (${disk.hindrance})`, () => undefined);
else
  test(`${name} is reported, and the restore begins again`, async () => {
    const backup = join(directory, 'backup');
    expect(await command('backup', 'create', backup, `--data-dir=${directory}/data`)).toMatch(/^0 /);
    const target = join(place ?? '', 'target');
    const filler = join(place ?? '', 'filler');
    const { bavail, bsize } = statfsSync(place ?? '');
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
    const none = await command('restore', backup, `--data-dir=${target}`);
    expect([none.trim().split('\n').length, none]).toEqual([1, expect.stringMatching(/^1 .*(disk|space)/)]);
    rmSync(target, { recursive: true });
    writeFileSync(filler, Buffer.alloc(bavail * bsize - LEFT_BYTES));
    const failed = await command('restore', backup, `--data-dir=${target}`);
    expect(failed).toMatch(/^1 /);
    expect(failed.trim().split('\n')).toHaveLength(1);
    expect(failed).toMatch(/disk|space/);
    rmSync(filler);
    const part = await command('backup', 'create', join(directory, 'part'), `--data-dir=${target}`);
    expect(part).toMatch(/^1 [^\n]*run management-apiserver restore again/);
    expect(await command('restore', backup, `--data-dir=${target}`)).toMatch(/^0 /);
    const values = (records: readonly StoredRecord[]): unknown =>
      records.map(({ key, value }) => [key, value.toString('latin1')]);
    const restored = await recordsIn(target);
    expect(restored).toHaveLength(RECORDS);
    expect(values(restored)).toEqual(values(await recordsIn(join(directory, 'data'))));
  }, 120_000);
