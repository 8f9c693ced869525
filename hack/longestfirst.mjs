// The order of test files: those that take longest begin first, so that no worker is left with one of them at the end. Jest
// itself knows times of earlier runs only, which a fresh checkout has not, and goes by the sizes of files there.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** 25 seconds and more, the longest first. */
const LONGEST = [
  'test/e2e/docs/release.test.ts',
  'test/e2e/console/consolepages.test.ts',
  'test/e2e/console/consolesecrets.test.ts',
  'test/e2e/docs/howto.test.ts',
  'test/attacks/limits/slots.test.ts',
  'test/e2e/console/consoledialogs.test.ts',
  'pkg/storage/etcd/conformance.test.ts',
  'test/e2e/console/consoleplaces.test.ts',
  'test/e2e/atrest/encryptionproviders.test.ts',
  'test/e2e/console/consolegraphs.test.ts',
  'test/network/partitions.test.ts',
  'test/conformance.test.ts',
  'test/faults/workers.test.ts',
  'test/faults/cascade.test.ts',
  'test/faults/store.test.ts',
  'test/e2e/atrest/backuplog.test.ts',
  'test/attacks/limits/manyusers.test.ts',
  'test/e2e/atrest/encryptionrotation.test.ts',
  'test/e2e/clients/kubectl.test.ts',
  'test/faults/manydependents.test.ts',
  'test/e2e/console/consoleyaml.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/faults/contendedwrites.test.ts',
  'test/e2e/replicas/replicareads.test.ts',
  'test/e2e/agents/agenttunnel.test.ts',
  'pkg/storage/encryption/conformance.test.ts',
  'test/e2e/platform/platformobjects.test.ts',
  'test/attacks/limits/largestbodies.test.ts',
  'test/attacks/objects/watchlife.test.ts',
  'test/e2e/console/consolechanges.test.ts',
  'test/e2e/atrest/backupschedule.test.ts',
  'test/attacks/limits/floods.test.ts',
  'test/e2e/console/consolemembers.test.ts',
  'test/docs/client.test.ts',
  'test/attacks/identity/adminkeys.test.ts',
  'test/e2e/atrest/pointintime.test.ts',
  'pkg/storage/etcd/faults.test.ts',
  'test/attacks/objects/auditlog.test.ts',
  'test/e2e/console/consolescale.test.ts',
  'test/e2e/replicas/leadership.test.ts',
  'test/e2e/atrest/backup.test.ts',
  'test/e2e/atrest/encryption.test.ts',
  'test/chart/chart.test.ts',
  'test/upgrade/rolling.test.ts',
  'test/e2e/console/consolesession.test.ts',
  // Of real clusters, which run alone.
  'test/host/aggregated/awaystore.test.ts',
  'test/host/hosts/wrongstore.test.ts',
  'test/host/aggregated/aggregateddeadstore.test.ts',
  'test/host/chart/helm.test.ts',
  'test/host/aggregated/aggregatedobjects.test.ts',
  'test/host/chart/helmreplicas.test.ts',
  'test/host/chart/etcdmembers.test.ts',
  'test/host/aggregated/delegated.test.ts',
  'test/host/chart/chartupgrade.test.ts',
  'test/host/aggregated/requestsgrant.test.ts',
  'test/host/clusters/agentoutages.test.ts',
  'test/host/clusters/agentstreams.test.ts',
  'test/host/hosts/wrongstoreoldest.test.ts',
  'test/host/clusters/threeclusters.test.ts',
  'test/host/aggregated/servingsecret.test.ts',
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
