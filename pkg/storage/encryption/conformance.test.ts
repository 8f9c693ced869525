import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { etcdIsThere, startEtcd } from '../../../test/fixtures/stores/etcd.js';
import type { EtcdFixture } from '../../../test/fixtures/stores/etcd.js';
import { describeStorage } from '../testing/conformance.js';
import type { StorageFixture } from '../testing/conformance.js';
import { openEmbedded } from '../embedded/embedded.js';
import { openEtcd } from '../etcd/open.js';
import type { Storage } from '../interface.js';
import { hkdfAesGcm } from './hkdfaesgcm.js';
import type { Keyring } from './interface.js';
import { encryptedStorage } from './storage.js';

const transformer = hkdfAesGcm(Buffer.alloc(32, 1));
/** Encrypts every record. */
const keyring: Keyring = {
  writer: () => transformer,
  reader: (header) => (header === transformer.header.toString() ? transformer : undefined),
  plaintext: () => false,
  writers: [transformer],
  readers: [transformer.header.toString()],
};

async function fixture(engine: () => Promise<Storage>, remove: () => Promise<void>): Promise<StorageFixture> {
  const open = async (): Promise<Storage> => encryptedStorage(await engine(), keyring);
  const storage = await open();
  let newest = storage;
  return {
    storage,
    reopen: async () => {
      await newest.close();
      newest = await open();
      return newest;
    },
    dispose: async () => {
      await newest.close();
      await remove();
    },
  };
}

describeStorage('encrypted embedded', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'encrypted-'));
  return fixture(
    () => openEmbedded({ directory }),
    () => rm(directory, { recursive: true }),
  );
});

if (etcdIsThere()) {
  let etcd: EtcdFixture;
  let stores = 0;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());
  describeStorage('encrypted etcd', () => {
    const options = { endpoints: [etcd.endpoint], prefix: `/store${(stores += 1)}/` };
    return fixture(
      () => openEtcd(options),
      () => Promise.resolve(),
    );
  });
} else {
  describe('storage: encrypted etcd', () => test.skip('needs etcd', () => undefined));
}
