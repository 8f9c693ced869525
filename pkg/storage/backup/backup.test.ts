/** Backups of engines, damaged backups, and interrupted restores. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../embedded/embedded.js';
import { readEmbedded } from '../embedded/readonly.js';
import { newDataKey } from '../encryption/keyfile.js';
import { dataKeyring, noKeys } from '../encryption/keyring.js';
import { openEncrypted } from '../encryption/openencrypted.js';
import type { Storage, StoredRecord } from '../interface.js';
import { FORMAT_KEY, STORE_FORMAT } from '../storeformat.js';
import { ALL_KEYS } from '../pages.js';
import { readBackup } from './read.js';
import { beginRestore, fillStore, NotEmpty, TakenOver } from './restore.js';
import { refuseUnfinished, RESTORE_KEY, UnfinishedRestore } from '../unfinished.js';
import { RecordCheck } from './recordcheck.js';
import { verifyBase, type Verified } from './verify.js';
import { writeBackup } from './write.js';
import { SecretRecords } from '../encryption/selection.js';

const SECRETS = new SecretRecords(['registry/core/secrets/']);

const KEY = newDataKey();
const KEYRING = dataKeyring([KEY], SECRETS);
const SECRET = 'registry/core/secrets/default/';

let directory: string;
let engine: Storage;
const opened: Storage[] = [];

const openIn = async (name: string, bumpTo?: number): Promise<Storage> => {
  const storage = await openEmbedded({ directory: join(directory, name), bumpTo });
  opened.push(storage);
  return storage;
};
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'backup-'));
  engine = await openIn('store');
  const store = await openEncrypted(engine, KEYRING, 'test');
  await store.begin();
  for (let at = 0; at < 30; at += 1)
    await store.storage.commit([
      { key: `${SECRET}s${at}`, value: json({ secret: `planted-${at}` }), expect: 'absent' },
      { key: `registry/core/configmaps/default/c${at}`, value: json({ at }), expect: 'absent' },
    ]);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  rmSync(directory, { recursive: true });
});

async function backup(from: Pick<Storage, 'scan'> = engine, keys = KEYRING): Promise<Buffer> {
  const revision = await engine.currentRevision();
  const chunks: Buffer[] = [];
  const header = { program: '0.1.0', time: new Date().toISOString(), revision, engine: 'embedded' };
  for await (const chunk of writeBackup(from, { header, seal: keys.writers[0], done: () => undefined }))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}
async function* inPieces(bytes: Buffer, size = 7_001): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const verified = (bytes: Buffer, keys = KEYRING): Promise<Verified> =>
  verifyBase(inPieces(bytes), new RecordCheck(keys));
async function* recordsIn(bytes: Buffer): AsyncGenerator<readonly StoredRecord[]> {
  for await (const part of readBackup(inPieces(bytes))) if (part.part === 'records') yield part.records;
}
const all = async (storage: Pick<Storage, 'scan'>): Promise<Map<string, string>> =>
  new Map((await storage.scan(ALL_KEYS)).records.map(({ key, value }) => [key, value.toString('latin1')]));

describe('a backup', () => {
  test('contains one revision despite concurrent writes, and no secret in plain text', async () => {
    const before = await all(engine);
    const beside = await readEmbedded(join(directory, 'store'));
    if (beside === undefined) throw new Error('no store');
    const revision = await engine.currentRevision();
    const slow: Pick<Storage, 'scan'> = {
      scan: async (range, options) => {
        const key = `registry/core/configmaps/default/c${Math.floor(Math.random() * 30)}`;
        await engine.commit([{ key, value: json('later'), expect: 'any' }]);
        await engine.commit([{ key: `registry/zz${Math.random()}`, value: json('later'), expect: 'absent' }]);
        return beside.scan(range, { ...options, limit: 5 });
      },
    };
    const chunks: Buffer[] = [];
    const header = { program: '0.1.0', time: '', revision, engine: 'embedded' };
    for await (const chunk of writeBackup(slow, { header, done: () => undefined })) chunks.push(chunk);
    await beside.close();
    const bytes = Buffer.concat(chunks);
    const found = new Map<string, string>();
    for await (const page of recordsIn(bytes))
      for (const { key, value } of page) found.set(key, value.toString('latin1'));
    expect(found).toEqual(before);
    expect(bytes.includes('planted')).toBe(false);
    expect(bytes.includes(KEY)).toBe(false);
  });

  test('is complete and opens with its keys', async () => {
    const bytes = await backup();
    const { faults, lacking, seal, end } = await verified(bytes);
    expect([faults, lacking, seal?.fault]).toEqual([[], [], undefined]);
    expect(end.records).toBe((await all(engine)).size);
  });

  test('names the keys that it requires when opened with others', async () => {
    const bytes = await backup();
    const name = KEYRING.writers[0]?.keyName;
    expect((await verified(bytes, noKeys)).lacking).toContain(name);
    expect((await verified(bytes, dataKeyring([newDataKey()], SECRETS))).seal?.fault).toContain(name);
  });

  test('of a newer release is refused', async () => {
    const value = json({ format: STORE_FORMAT + 1, oldest: STORE_FORMAT + 1, program: '9.9.0' });
    await engine.commit([{ key: FORMAT_KEY, value, expect: 'absent' }]);
    await expect(verified(await backup())).rejects.toThrow(/of release 9\.9\.0, .*start release 9\.9\.0/);
  });

  test('that is truncated anywhere is refused', async () => {
    const bytes = await backup();
    for (let at = 0; at < bytes.length; at += at < 2_000 || at > bytes.length - 300 ? 1 : 997)
      await expect(verified(bytes.subarray(0, at))).rejects.toThrow(/cut short|no backup/);
    await expect(verified(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow('cut short');
    await expect(verified(Buffer.concat([bytes, bytes]))).rejects.toThrow('damaged');
  });

  test('with any bit flipped is refused', async () => {
    const bytes = await backup();
    for (let at = 0; at < bytes.length; at += at < 3_000 || at > bytes.length - 300 ? 1 : 499) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      await expect(verified(changed)).rejects.toThrow(/damaged|cut short|no backup|newer/);
    }
  });

  test('that was rewritten without the key is refused', async () => {
    const chunks: Buffer[] = [];
    const evil = newDataKey();
    const records = [{ key: 'registry/evil', value: json('evil'), revision: 70 }];
    const scan = async () => ({ revision: 70, records, more: false });
    const header = { program: '0.1.0', time: '', revision: 70, engine: 'embedded' };
    for (const seal of [undefined, dataKeyring([evil], SECRETS).writers[0]]) {
      chunks.splice(0);
      for await (const chunk of writeBackup({ scan }, { header, seal, done: () => undefined }))
        chunks.push(chunk);
      const checked = await verified(Buffer.concat(chunks));
      expect(checked.seal === undefined || checked.seal.fault !== undefined).toBe(true);
    }
  });
});

describe('a restore', () => {
  test('has all records at a revision past all others, and no history', async () => {
    const before = await all(engine);
    const bytes = await backup();
    const target = (await engine.currentRevision()) + 1_000_000;
    const begun = await beginRestore(await openIn('new'));
    await opened.pop()?.close();
    const restored = await openIn('new', target);
    await expect(refuseUnfinished(restored)).rejects.toThrow(UnfinishedRestore);
    expect(await fillStore(restored, begun, recordsIn(bytes))).toBe(before.size);
    await refuseUnfinished(restored);
    const after = await all(restored);
    before.delete('encryption/servers');
    after.delete('encryption/servers');
    expect(after).toEqual(before);
    const { records } = await restored.scan(ALL_KEYS);
    for (const { revision } of records) expect(revision).toBeGreaterThan(target);
    await expect(restored.scan(ALL_KEYS, { revision: target - 1 })).rejects.toThrow('compacted');
    const watch = restored.watch(ALL_KEYS, { after: await engine.currentRevision() });
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toThrow('compacted');
    expect((await restored.get(RESTORE_KEY)).record).toBeUndefined();
  });

  test('refuses a store that is not empty', async () => {
    await expect(beginRestore(engine)).rejects.toThrow(NotEmpty);
  });

  test('starts over after an interruption, and runs once at a time', async () => {
    const bytes = await backup();
    const restored = await openIn('new');
    const first = await beginRestore(restored);
    async function* half(): AsyncGenerator<readonly StoredRecord[]> {
      for await (const page of recordsIn(bytes)) {
        yield page.slice(0, 20);
        throw new Error('killed');
      }
    }
    await expect(fillStore(restored, first, half())).rejects.toThrow('killed');
    await expect(refuseUnfinished(restored)).rejects.toThrow(UnfinishedRestore);
    const next = await beginRestore(restored);
    async function* overtaken(): AsyncGenerator<readonly StoredRecord[]> {
      await beginRestore(restored);
      yield* recordsIn(bytes);
    }
    await expect(fillStore(restored, next, overtaken())).rejects.toThrow(TakenOver);
    const last = await beginRestore(restored);
    await expect(fillStore(restored, first, recordsIn(bytes))).rejects.toThrow(TakenOver);
    await fillStore(restored, last, recordsIn(bytes));
    await refuseUnfinished(restored);
    expect((await all(restored)).size).toBe((await all(engine)).size);
  });

  test('fails when another process writes to the store', async () => {
    const bytes = await backup();
    const restored = await openIn('new');
    const begun = await beginRestore(restored);
    async function* disturbed(): AsyncGenerator<readonly StoredRecord[]> {
      yield* recordsIn(bytes);
      await restored.commit([{ key: 'registry/other', value: json(1), expect: 'absent' }]);
    }
    await expect(fillStore(restored, begun, disturbed())).rejects.toThrow('another process');
    await expect(refuseUnfinished(restored)).rejects.toThrow(UnfinishedRestore);
  });

  test('makes a server that starts during it refuse the store', async () => {
    const restored = await openIn('new');
    const store = await openEncrypted(restored, KEYRING, 'test');
    await beginRestore(restored);
    await expect(store.begin()).rejects.toThrow('was not finished');
  });
});
