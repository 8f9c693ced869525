import { expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FIRST_REVISION } from '../interface.js';
import { openDiskReserve } from './diskreserve.js';
import { Retention } from './retention.js';
import { META, openTables, readCounter } from './tables.js';
import { Writer } from './writer.js';

const MIB = 1024 * 1024;

test('compaction after a failed transaction reports the oldest readable revision', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  const tables = openTables(directory, 64 * MIB);
  const reserve = await openDiskReserve(directory, tables, { reserveBytes: MIB, maxBytes: 64 * MIB });
  const progress = { newest: FIRST_REVISION, oldest: FIRST_REVISION, compacted: FIRST_REVISION };
  const retention = new Retention({ seconds: 600, bytes: MIB }, undefined);
  const writer = new Writer({
    tables,
    reserve,
    retention,
    progress,
    published: () => undefined,
    oldestInUse: () => Infinity,
  });
  const put = () =>
    writer.commit({ writes: [{ key: 'k', value: Buffer.from('v'), expect: 'any' }], guards: [] }, 2);
  try {
    for (let i = 0; i < 4; i++) await put();
    const { batch } = tables.root;
    tables.root.batch = () => Promise.reject(new Error('Input/output error'));
    const forgotten = progress.newest;
    await expect(writer.forget(forgotten)).rejects.toMatchObject({ failure: { code: 'unavailable' } });
    tables.root.batch = batch;
    await put();
    await writer.close();
    expect(readCounter(tables, META.compacted)).toBe(forgotten);
    expect(readCounter(tables, META.oldest)).toBe(forgotten);
  } finally {
    await tables.root.close();
    await reserve.close();
    await rm(directory, { recursive: true });
  }
});
