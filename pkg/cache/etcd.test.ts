import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../test/fixtures/stores/etcd.js';
import { openEtcd } from '../storage/etcd/open.js';
import { describeCache } from './testing/conformance.js';

let etcd: EtcdFixture;
let stores = 0;

if (etcdIsThere()) {
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());
  describeCache('the etcd engine', async () => {
    const storage = await openEtcd({ endpoints: [etcd.endpoint], prefix: `/cache${stores++}/` });
    return { storage, dispose: () => storage.close() };
  });
} else {
  describe('cache over the etcd engine', () => test.skip('needs etcd', () => undefined));
}
