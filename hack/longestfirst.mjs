// The order of test files: those that take longest begin first, so that no worker is left with one of them at the end. Jest
// itself knows times of earlier runs only, which a fresh checkout has not, and goes by the sizes of files there.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** 30 seconds and more in CI, the longest first. */
const LONGEST = [
  'test/e2e/docs/release.test.ts',
  'test/faults/store.test.ts',
  'test/faults/fulldiskencryption.test.ts',
  'test/e2e/console/consolepages.test.ts',
  'test/network/partitions.test.ts',
  'test/e2e/atrest/backupschedule.test.ts',
  'test/attacks/limits/largeobjects.test.ts',
  'test/e2e/console/consoledialogs.test.ts',
  'test/faults/keyrotation.test.ts',
  'test/e2e/atrest/pointintime.test.ts',
  'test/e2e/atrest/backup.test.ts',
  'test/conformance.test.ts',
  'test/e2e/console/consolesecrets.test.ts',
  'test/e2e/docs/howto.test.ts',
  'test/faults/workers.test.ts',
  'test/faults/contendedwrites.test.ts',
  'test/docs/store.test.ts',
  'pkg/storage/etcd/conformance.test.ts',
  'test/chart/chart.test.ts',
  'test/upgrade/formatraise.test.ts',
  'test/faults/fulldiskcopies.test.ts',
  'test/e2e/atrest/backupage.test.ts',
  'pkg/storage/encryption/conformance.test.ts',
  'test/e2e/console/consoleyaml.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/e2e/clients/kubectl.test.ts',
  'test/faults/cascade.test.ts',
  'test/e2e/docs/docssite.test.ts',
  'test/attacks/objects/watchlife.test.ts',
  'test/e2e/atrest/encryptionproviders.test.ts',
  'test/e2e/atrest/encryptionrotation.test.ts',
  'test/fuzz/received.test.ts',
  'test/attacks/limits/largestbodies.test.ts',
  'test/docs/client.test.ts',
  'test/upgrade/rolling.test.ts',
  'test/upgrade/store.test.ts',
  'pkg/storage/etcd/faults.test.ts',
  // Of real clusters, which run alone.
  'test/host/aggregated/awaystore.test.ts',
  'test/host/aggregated/aggregateddeadstore.test.ts',
  'test/host/hosts/wrongstore.test.ts',
  'test/host/chart/helm.test.ts',
  'test/host/chart/restore.test.ts',
  'test/host/aggregated/aggregatedobjects.test.ts',
  'test/host/aggregated/delegated.test.ts',
  'test/host/chart/keysecret.test.ts',
  'test/host/chart/helmreplicas.test.ts',
  'test/host/chart/etcdmembers.test.ts',
  'test/host/released/releasedprograms.test.ts',
  'test/host/clusters/agentstreams.test.ts',
  'test/host/chart/chartupgrade.test.ts',
  'test/host/chart/console.test.ts',
  'test/host/clusters/threeclusters.test.ts',
  'test/host/released/releasedclient.test.ts',
  'test/host/aggregated/aggregatedreplicas.test.ts',
];

const missing = LONGEST.filter((file) => !existsSync(join(ROOT, file)));
if (missing.length > 0) throw new Error(`hack/longestfirst.mjs: there is no ${missing.join(', ')}`);

const placeOf = ({ path }) => {
  const at = LONGEST.indexOf(relative(ROOT, path));
  return at < 0 ? LONGEST.length : at;
};

/** Whether what a suite needs is still being built (hack/jest.mjs): those come last. */
const pending = existsSync(process.env.TEST_PARTS_PENDING ?? '');
const waits = ({ path }) => pending && /fixtures\/|parts\.js/.test(readFileSync(path, 'utf8'));

export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const keyed = (await super.sort(tests)).map((test) => ({ test, waits: Number(waits(test)) }));
    return keyed
      .sort((a, b) => a.waits - b.waits || placeOf(a.test) - placeOf(b.test))
      .map(({ test }) => test);
  }
}
