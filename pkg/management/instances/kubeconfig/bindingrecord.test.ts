import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import {
  BINDING_RECORDS,
  bindingRecordName,
  dropBindingRecord,
  keepBindingRecord,
  readBindingRecord,
  type BindingRecord,
} from './bindingrecord.js';

const record: BindingRecord = {
  server: 'https://v',
  binding: 'b',
  written: 1,
  end: 100,
  place: { cluster: 'c', namespace: 'n', virtualCluster: 'v' },
  instance: { namespace: 'p', name: 'i', uid: 'i1' },
  holder: { name: 'anna', uid: 'u1', groups: [], seen: 1 },
};

test('stores one record for each binding in a virtual cluster, with the latest end', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bindings-'));
  const storage = await openEmbedded({ directory });
  try {
    const name = bindingRecordName(record.place, record.binding);
    const read = async () => (await storage.get(BINDING_RECORDS.prefix + name)).record;
    await keepBindingRecord(storage, record);
    const first = await read();
    const later = [2, 3, 4, 5].map((written) => keepBindingRecord(storage, { ...record, written, end: 50 }));
    await Promise.all(later);
    const second = await read();
    expect(readBindingRecord(second?.value ?? Buffer.from(''))).toMatchObject({ end: 100, binding: 'b' });
    // A record that was written since is kept.
    await dropBindingRecord(storage, name, first?.revision ?? 0);
    expect(await read()).toBeDefined();
    await dropBindingRecord(storage, name, second?.revision ?? 0);
    expect(await read()).toBeUndefined();
    await dropBindingRecord(storage, name, second?.revision ?? 0);
    expect(bindingRecordName(record.place, 'other')).not.toBe(name);
  } finally {
    await storage.close();
    await rm(directory, { recursive: true });
  }
});
