import { describe, expect, test } from '@jest/globals';
import { REFUSED, type Authentication, type Credentials, type User } from '../interface.js';
import { MADE_WITH, reportedKeyText } from '../issuedtoken/madewith.js';
import { keyBoundAuthenticator } from './keybound.js';

const KEY = { name: 'k', uid: 'u', fingerprint: 'f' };
const ASKED: Credentials = { authorization: undefined, certificate: undefined, rawHeaders: [] };
const user = (told?: string, groups = ['a', 'b', 'system:authenticated']): User => ({
  name: 'alice',
  uid: '1',
  groups,
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

describe('a user named by a front proxy', () => {
  const asKey: Authentication = { outcome: 'user', user: user(reportedKeyText({ kind: 'key', key: KEY })) };

  test('without an access key is the user of the headers', () => {
    const named: Authentication = { outcome: 'user', user: user() };
    expect(answer(named, REFUSED, 0)).toBe(named);
  });

  test('ends with the key, and at its expiry', () => {
    expect(answer(asKey, known('alice', []), 1000)).toBe(REFUSED);
    expect(answer(asKey, REFUSED)).toBe(REFUSED);
    expect(answer(asKey, known('alice', ['a']), 2000)).toMatchObject({
      outcome: 'user',
      expires: 2000,
      user: { name: 'alice', credential: { madeWith: KEY } },
    });
  });

  test('loses the groups that the user of the key has left, and gains none', () => {
    expect(answer(asKey, known('alice', ['b', 'c']))).toMatchObject({
      user: { groups: ['b', 'system:authenticated'] },
    });
  });

  test('is refused if the key has another user now', () => {
    expect(answer(asKey, known('bob', ['a', 'b']))).toBe(REFUSED);
  });

  test('with a token is valid as long as the access key of the token exists', () => {
    const asToken: Authentication = {
      outcome: 'user',
      user: user(reportedKeyText({ kind: 'token', key: KEY })),
    };
    expect(answer(asToken, REFUSED)).toMatchObject({ user: { groups: user().groups } });
    expect(answer(asToken, REFUSED, 0)).toBe(REFUSED);
  });

  test.each(['', 'key', 'key/k/u', 'key/k/u/f/g', 'x'])('is refused with an unreadable key: %j', (told) => {
    const ends = {
      vouched: () => REFUSED,
      madeWithEnd: ({ name }: { name: string }) => (name === '' ? 0 : Infinity),
    };
    const headers: Authentication = { outcome: 'user', user: user(told) };
    expect(keyBoundAuthenticator({ authenticate: () => headers }, ends).authenticate(ASKED)).toBe(REFUSED);
  });
});
