import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { etcdIsThere } from '../../../../test/fixtures/stores/etcd.js';
import { startEtcdMembers, type EtcdMembers } from '../../../../test/fixtures/stores/etcdmembers.js';
import { connect, type EtcdClient } from '../client.js';
import { keySpace } from '../keyspace.js';
import { openRevisionWatch } from './revisionwatch.js';

const PREFIX = '/leader/';

(etcdIsThere() ? describe : describe.skip)('watches at a member that has lost the others', () => {
  let etcd: EtcdMembers;
  let client: EtcdClient;

  beforeAll(async () => {
    etcd = await startEtcdMembers(3);
    client = connect({ endpoints: [etcd.members[0]?.endpoint ?? ''], prefix: PREFIX });
  });
  afterAll(async () => {
    client.close();
    await etcd.stop();
  });

  const watchToItsEnd = async (opened: () => void): Promise<void> => {
    const watch = await openRevisionWatch(client, keySpace(PREFIX).whole, 2);
    for await (const { revisions } of watch) if (revisions.length === 0) opened();
  };

  test('end, and are refused until there is a leader', async () => {
    const cutOff = (): void => {
      for (const member of etcd.members.slice(1)) member.pause();
    };
    await expect(watchToItsEnd(cutOff)).rejects.toThrow('etcdserver: no leader');
    await expect(watchToItsEnd(() => undefined)).rejects.toThrow('etcdserver: no leader');
  });
});
