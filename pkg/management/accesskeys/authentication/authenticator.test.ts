import { expect, test } from '@jest/globals';
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Entry } from '../../../cache/interface.js';
import { isCollected } from '../../../../test/fixtures/servers/garbagecollected.js';
import { accessKeyAuthenticator, type AccessKeyParts } from './authenticator.js';

const entryOf = (spec: object): Entry => {
  const key = { metadata: { name: 'key' }, spec } as OwnedAccessKey;
  return { object: () => key } as unknown as Entry;
};

function authenticatorOf(stored: Map<string, Entry>) {
  return accessKeyAuthenticator({
    keys: { latest: () => stored },
    identities: { user: () => undefined },
    lastUsed: { of: () => 0, used: () => undefined },
    lifetimes: { originEnd: () => undefined },
  } as unknown as AccessKeyParts);
}

test('does not keep an expired key in memory', async () => {
  const stored = new Map([['key', entryOf({ subject: 'pipeline' })]]);
  const authenticator = authenticatorOf(stored);
  expect(authenticator.named('key', false)).toMatchObject({ outcome: 'user', user: { name: 'pipeline' } });
  const used = new WeakRef(stored.get('key') as Entry);
  expect(await isCollected(used, 2)).toBe(false);
  stored.delete('key');
  expect(authenticator.named('key', false)).toMatchObject({ outcome: 'refused' });
  expect(await isCollected(used)).toBe(true);
});

test('a changed key has its new user at once', () => {
  const stored = new Map([['key', entryOf({ subject: 'pipeline' })]]);
  const authenticator = authenticatorOf(stored);
  const before = authenticator.named('key', false);
  expect(authenticator.named('key', false)).toBe(before);
  stored.set('key', entryOf({ subject: 'other' }));
  expect(authenticator.named('key', false)).toMatchObject({ outcome: 'user', user: { name: 'other' } });
  stored.set('key', entryOf({ user: 'nobody' }));
  expect(authenticator.named('key', false)).toMatchObject({ outcome: 'refused' });
});
