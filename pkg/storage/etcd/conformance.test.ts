import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../../test/fixtures/stores/etcd.js';
import { describeStorage, type StorageFixture } from '../testing/conformance.js';
import { openEtcd } from './open.js';

let etcd: EtcdFixture;
let stores = 0;

/** A restored store, whose revisions are not those of etcd. */
async function openFixture(): Promise<StorageFixture> {
  const options = { endpoints: [etcd.endpoint], prefix: `/store${stores++}/` };
  const storage = await openEtcd({ ...options, bumpTo: 64_000_000_000 });
  let newest = storage;
  return {
    storage,
    reopen: async () => {
      await newest.close();
      newest = await openEtcd(options);
      return newest;
    },
    dispose: () => newest.close(),
  };
}

if (etcdIsThere()) {
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());
  describeStorage('etcd after a restore', openFixture);
} else {
  describe('storage: etcd', () => test.skip('needs etcd', () => undefined));
}
