import { expect, test } from '@jest/globals';
import { generateKey } from './accesskeys/accesskey.js';
import { firstMatchingAuthenticator } from '../authentication/delegated.js';
import type { Authenticator } from '../authentication/interface.js';
import { unavailableTokenAuthenticator } from './unavailabletokens.js';

const jwt = (claims: object): string =>
  ['{}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

test.each([
  ['an access key', generateKey(), true],
  ['an access key with a typing error', `${generateKey()}x`, true],
  ['a direct token', jwt({ 'management.svc.example': { kind: 'User' } }), true],
  ["a token of the host's", jwt({ 'kubernetes.io': {} }), false],
  ['any token', 'secret', false],
  ['nothing', undefined, false],
])('without a store %s is temporarily unavailable: %j', async (_what, token, putOff) => {
  const shown: (string | undefined)[] = [];
  const host: Authenticator = {
    authenticate({ authorization }) {
      shown.push(authorization);
      return { outcome: 'none' };
    },
  };
  const authenticator = firstMatchingAuthenticator([
    unavailableTokenAuthenticator(() => new Error('away')),
    host,
  ]);
  const authorization = token && `Bearer ${token}`;
  const ask = async () =>
    authenticator.authenticate({ authorization, certificate: undefined, rawHeaders: [] });
  if (putOff) await expect(ask()).rejects.toThrow('away');
  else expect(await ask()).toEqual({ outcome: 'none' });
  expect(shown).toEqual(putOff ? [] : [authorization]);
});
