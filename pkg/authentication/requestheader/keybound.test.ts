import { describe, expect, test } from '@jest/globals';
import type { Authentication, Credentials, User } from '../interface.js';
import { REFUSED } from '../interface.js';
import { MADE_WITH, reportedKeyText } from '../issuedtoken/madewith.js';
import { keyBoundAuthenticator } from './keybound.js';

const KEY = { name: 'k', uid: 'u', fingerprint: 'f' };
const ASKED: Credentials = { authorization: undefined, certificate: undefined, rawHeaders: [] };
const user = (told?: string, groups = ['a', 'b', 'system:authenticated']): User => ({
  ...{ name: 'alice', uid: '1', groups },
  extra: told === undefined ? {} : { [MADE_WITH]: [told] },
});
const known = (name: string, groups: string[]): Authentication => ({
  outcome: 'user',
  user: { name, uid: '1', groups, extra: {} },
});

function answer(headers: Authentication, now: Authentication, end = Infinity): Authentication {
  const keys = { vouched: () => now, madeWithEnd: () => end };
  return keyBoundAuthenticator({ authenticate: () => headers }, keys, () => 1000).authenticate(
    ASKED,
  ) as Authentication;
}

describe('a user whom a front proxy names', () => {
  const asKey: Authentication = { outcome: 'user', user: user(reportedKeyText({ kind: 'key', key: KEY })) };

  test('without a key of ours is who the proxy says', () => {
    const named: Authentication = { outcome: 'user', user: user() };
    expect(answer(named, REFUSED, 0)).toBe(named);
  });

  test('ends with the key, and by its time', () => {
    expect(answer(asKey, known('alice', []), 1000)).toBe(REFUSED);
    expect(answer(asKey, REFUSED)).toBe(REFUSED);
    expect(answer(asKey, known('alice', ['a']), 2000)).toMatchObject({
      ...{ outcome: 'user', expires: 2000 },
      user: { name: 'alice', credential: { madeWith: KEY } },
    });
  });

  test('is in no group that the user of the key has left, and gets into none', () => {
    expect(answer(asKey, known('alice', ['b', 'c']))).toMatchObject({
      user: { groups: ['b', 'system:authenticated'] },
    });
  });

  test('is nobody when the key is of somebody else by now', () => {
    expect(answer(asKey, known('bob', ['a', 'b']))).toBe(REFUSED);
  });

  test('with a token stays who they are as long as the key is there that it was made with', () => {
    const asToken: Authentication = {
      outcome: 'user',
      user: user(reportedKeyText({ kind: 'token', key: KEY })),
    };
    expect(answer(asToken, REFUSED)).toMatchObject({ user: { groups: user().groups } });
    expect(answer(asToken, REFUSED, 0)).toBe(REFUSED);
  });

  test.each(['', 'key', 'key/k/u', 'key/k/u/f/g', 'x'])(
    'with a key that cannot be read is nobody: %j',
    (told) => {
      const ends = {
        vouched: () => REFUSED,
        madeWithEnd: ({ name }: { name: string }) => (name === '' ? 0 : Infinity),
      };
      const headers: Authentication = { outcome: 'user', user: user(told) };
      expect(keyBoundAuthenticator({ authenticate: () => headers }, ends).authenticate(ASKED)).toBe(REFUSED);
    },
  );
});
