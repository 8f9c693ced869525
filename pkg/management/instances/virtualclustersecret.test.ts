import { expect, test } from '@jest/globals';
import type { Connection } from '../clusters/client/interface.js';
import { readVirtualClusterSecret } from './virtualclustersecret.js';

const answering = (object: object): Connection => ({
  server: 'https://cluster.example',
  authority: undefined,
  request: () => Promise.resolve({ status: 200, object: object as Readonly<Record<string, unknown>> }),
  watch: () => Promise.resolve(200),
  open: () => Promise.reject(new Error('not asked for')),
  close: () => undefined,
});
const read = async (object: object): Promise<unknown> =>
  (await readVirtualClusterSecret(answering(object), 'vcs', 'a')).kubeconfig;

test('decodes the base64 value', async () => {
  expect(await read({ data: { config: Buffer.from('kind: Config').toString('base64') } })).toBe(
    'kind: Config',
  );
});

test.each([5, null, true, {}, [], ['YQ=='], { length: 1e9 }, { type: 'Buffer', data: [97] }])(
  'ignores the invalid value %j',
  async (config) => {
    expect(await read({ data: { config } })).toBeUndefined();
  },
);

test.each([undefined, null, 5, 'config', []])('ignores invalid data %j', async (data) => {
  expect(await read({ data })).toBeUndefined();
});
