import { expect, test } from '@jest/globals';
import type { HostAnswer, HostClient, HostRequest } from '../../hostclient/interface.js';
import { noteStoreKeys, STORE_LEASE, storeKeysIn } from './clusternotes.js';

const answer = (status: number, body: unknown = {}): HostAnswer => ({
  status,
  body,
  retryAfterMs: undefined,
});

/** A cluster with the Lease alone; what is patched must be of the version that was read. */
class Cluster implements Pick<HostClient, 'send'> {
  lease = {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: STORE_LEASE, resourceVersion: '1', annotations: {} as Record<string, unknown> },
  };

  readonly send = async ({ method, body }: HostRequest) => {
    if (method === 'GET') return answer(200, structuredClone(this.lease));
    const { resourceVersion, annotations } = (body as typeof this.lease).metadata;
    if (resourceVersion !== this.lease.metadata.resourceVersion) return answer(409);
    const next = { ...this.lease.metadata, annotations, resourceVersion: `${Number(resourceVersion) + 1}` };
    this.lease = { ...this.lease, metadata: next };
    return answer(200, this.lease);
  };

  note(names: readonly string[], meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    return noteStoreKeys(this, 'management', async (noted) => {
      await meanwhile();
      return [...noted.filter((name) => !names.includes(name)), ...names];
    });
  }
}

test('what another server notes meanwhile stays', async () => {
  const cluster = new Cluster();
  await cluster.note(['old']);
  let others = 0;
  await cluster.note(['mine'], async () => {
    if (others < 1) await cluster.note(['new']);
    others += 1;
  });
  expect(storeKeysIn(cluster.lease)).toEqual(['old', 'new', 'mine']);
  expect(others).toBe(2);
});

test('nothing is written where nothing changes, and an empty note is removed', async () => {
  const cluster = new Cluster();
  await cluster.note(['a']);
  const { resourceVersion } = cluster.lease.metadata;
  await cluster.note(['a']);
  expect(cluster.lease.metadata.resourceVersion).toBe(resourceVersion);
  await noteStoreKeys(cluster, 'management', async () => []);
  expect(Object.values(cluster.lease.metadata.annotations)).toEqual([null]);
});

test('gives up where others always write', async () => {
  const cluster = new Cluster();
  let count = 0;
  const always = () => cluster.note([`other-${(count += 1)}`]);
  await expect(cluster.note(['a'], always)).rejects.toThrow('others keep writing');
});
