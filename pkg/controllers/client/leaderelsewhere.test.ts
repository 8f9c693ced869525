import { expect, test } from '@jest/globals';
import { leaderElsewhere } from './leaderelsewhere.js';

test('a leader serves while it renews its lease, and not after it released it', async () => {
  let spec: object | undefined;
  let now = 0;
  const send = () =>
    Promise.resolve({ status: spec === undefined ? 404 : 200, body: { spec }, retryAfterMs: undefined });
  const look = leaderElsewhere({ send }, 'n', () => now);
  expect(await look()).toBe(false);
  spec = { holderIdentity: 'a', renewTime: '1' };
  expect(await look()).toBe(true);
  now = 14_000;
  spec = { holderIdentity: 'a', renewTime: '2' };
  expect(await look()).toBe(true);
  now = 28_000;
  expect(await look()).toBe(true);
  now = 30_000;
  expect(await look()).toBe(false);
  spec = { holderIdentity: '', renewTime: '3' };
  expect(await look()).toBe(false);
});
