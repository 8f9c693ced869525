import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createSeal } from '../../login/sealedcookie.js';
import { JOIN_MS, JoinTokens, type JoinTokenParts } from './jointokens.js';

test('a token ends after 15 minutes', async () => {
  let now = 1_000;
  const secret = createSecretKey(randomBytes(32));
  const parts = {
    seal: createSeal(secret, () => now),
    people: { identities: { user: () => undefined, team: () => undefined }, accessKey: () => undefined },
  } as unknown as JoinTokenParts;
  const tokens = new JoinTokens(parts);
  const token = tokens.make('east', ['u1', 'u2'], { name: 'ada', uid: '', groups: [], extra: {} });
  now += JOIN_MS - 1;
  // It goes on to the store, which is not there.
  await expect(tokens.redeem(token, 'east')).rejects.toThrow(TypeError);
  now += 1;
  await expect(tokens.redeem(token, 'east')).rejects.toThrow('is too old');
});
