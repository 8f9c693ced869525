import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { eventually } from '../../../../test/fixtures/wait.js';
import { openCache } from '../../../cache/cache.js';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import type { People } from '../../standingrights/standing.js';
import { BINDING_RECORDS, bindingRecordName, readBindingRecord } from '../kubeconfig/bindingrecord.js';
import type { RecordedBinding } from '../../services.js';
import { bindingRecorder, MAX_BINDINGS } from './bindings.js';

const PEOPLE: People = {
  identities: { user: () => undefined, team: () => undefined },
  accessKey: () => undefined,
  project: () => undefined,
};

const place = { cluster: 'c', namespace: 'n', virtualCluster: 'v' };

test('a user has a limited number of bindings in a virtual cluster, however many keys come and go', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bindings-'));
  const storage = await openEmbedded({ directory });
  const decode = (value: Buffer): Buffer => Buffer.from(value);
  const cache = await openCache(storage, [{ ...BINDING_RECORDS, namespaced: false, decode }]);
  try {
    const records = cache.resource(BINDING_RECORDS.resource);
    const recorder = bindingRecorder(storage, PEOPLE, records);
    const record = (user: string, key: string, more: object = {}): Promise<RecordedBinding> =>
      recorder(
        { name: user, uid: '', groups: [], extra: {} },
        {
          server: 'https://v',
          written: 1,
          place,
          instance: { namespace: 'p', name: 'i', uid: 'i1' },
          madeWith: { name: key, uid: key, fingerprint: 'f' },
          ...more,
        },
      );
    for (let count = 0; count < MAX_BINDINGS; count += 1) await record('anna', `key-${count}`);
    await eventually('the records are known', async () => {
      return [...records.latest().entries('')].length === MAX_BINDINGS;
    });
    await expect(record('anna', 'another')).rejects.toMatchObject({ code: 403 });
    expect((await record('ben', 'key-0')).inside).toMatchObject({ name: 'management:user:ben' });
    // Nor does it keep the user from renewals and from other virtual clusters, or for long where there is no certificate.
    await record('anna', 'another', { place: { ...place, virtualCluster: 'w' } });
    const renewed = await record('anna', 'key-0');
    await expect(record('anna', 'another', { written: 60_000 })).rejects.toMatchObject({ code: 403 });
    await renewed.issued(86_400_000);
    await record('anna', 'another', { written: 60_001 });
    await eventually('the record says when the certificate expires', async () => {
      const found = records.latest().get(bindingRecordName(place, renewed.inside.binding));
      return found !== undefined && readBindingRecord(found.bytes).end === 86_400_000;
    });
  } finally {
    await cache.close();
    await storage.close();
    await rm(directory, { recursive: true });
  }
});
