import { expect, test } from '@jest/globals';
import type { Etcd3, IRangeRequest } from 'etcd3';
import type { EtcdClient } from './client.js';
import { keySpace } from './keyspace.js';
import { rangeReader } from './ranges.js';

const keys = keySpace('/test/');
const ALL = { key: keys.dataKey('a'), range_end: keys.dataKey('z') };

test('asks for a part of a page after an attempt that was late', async () => {
  const limits: number[] = [];
  const etcd = {
    kv: {
      range({ limit = 0 }: IRangeRequest) {
        limits.push(Number(limit));
        if (limits.length < 3) return Promise.reject(new Error('4 DEADLINE_EXCEEDED'));
        return Promise.resolve({ kvs: [], more: false, header: { revision: '7' } });
      },
    },
  } as unknown as Etcd3;
  const client = {
    async retried(call: (on: Etcd3, options: object) => Promise<unknown>): Promise<unknown> {
      for (;;) {
        const answer = await call(etcd, {}).catch(() => undefined);
        if (answer !== undefined) return answer;
      }
    },
  } as unknown as EtcdClient;
  expect(await rangeReader(client, keys)(ALL, 1000)).toEqual({ etcdRevision: 7, records: [], more: false });
  expect(limits).toEqual([32, 8, 2]);
});
