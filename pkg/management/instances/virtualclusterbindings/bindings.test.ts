import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { eventually } from '../../../../test/fixtures/wait.js';
import { openCache } from '../../../cache/cache.js';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import type { People } from '../../standingrights/standing.js';
import { BINDING_RECORDS } from '../kubeconfig/bindingrecord.js';
import { bindingRecorder, MAX_BINDINGS } from './bindings.js';

const PEOPLE: People = {
  identities: { user: () => undefined, team: () => undefined },
  accessKey: () => undefined,
  project: () => undefined,
};

test('a user has a limited number of bindings, however many keys come and go', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bindings-'));
  const storage = await openEmbedded({ directory });
  const decode = (value: Buffer): Buffer => Buffer.from(value);
  const cache = await openCache(storage, [{ ...BINDING_RECORDS, namespaced: false, decode }]);
  try {
    const records = cache.resource(BINDING_RECORDS.resource);
    const recorder = bindingRecorder(storage, PEOPLE, records);
    const record = (user: string, key: string): Promise<unknown> =>
      recorder(
        { name: user, uid: '', groups: [], extra: {} },
        {
          server: 'https://v',
          written: 1,
          end: 100,
          place: { cluster: 'c', namespace: 'n', virtualCluster: 'v' },
          instance: { namespace: 'p', name: 'i', uid: 'i1' },
          madeWith: { name: key, uid: key, fingerprint: 'f' },
        },
      );
    for (let count = 0; count < MAX_BINDINGS; count += 1) await record('anna', `key-${count}`);
    await eventually('the records are known', async () => {
      return [...records.latest().entries('')].length === MAX_BINDINGS;
    });
    await expect(record('anna', 'another')).rejects.toMatchObject({ code: 403 });
    expect(await record('ben', 'key-0')).toMatchObject({ name: 'management:user:ben' });
  } finally {
    await cache.close();
    await storage.close();
    await rm(directory, { recursive: true });
  }
});
