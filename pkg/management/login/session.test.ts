import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSeal } from './sealedcookie.js';
import { browserSessions, isCsrfToken } from './session.js';

const key = { name: 'console-1', uid: 'u1' };
const origin = { name: 'deploys-of-the-shop', uid: 'u2', fingerprint: 'f' };
const secret = createSecretKey(Buffer.alloc(32, 1));

describe('browser sessions', () => {
  test('open a sealed cookie on every server of the store', () => {
    const { session, cookie } = browserSessions(createSeal(secret)).begin({ ...key, origin }, 60);
    expect(browserSessions(createSeal(secret)).open(cookie)).toEqual(session);
    expect(session).toMatchObject({ ...key, origin });
  });

  test('do not reveal the content of a cookie', () => {
    const { session, cookie } = browserSessions(createSeal(secret)).begin({ ...key, origin }, 60);
    for (const text of [cookie, Buffer.from(cookie, 'base64url').toString('latin1')])
      for (const told of [key.name, origin.name, session.csrf]) expect(text).not.toContain(told);
  });

  test('have different cookies and CSRF tokens, also for one key', () => {
    const sessions = browserSessions(createSeal(secret));
    const [one, other] = [sessions.begin(key, 60), sessions.begin(key, 60)];
    expect(one.cookie).not.toBe(other.cookie);
    expect(one.session.csrf).not.toBe(other.session.csrf);
    expect(isCsrfToken(one.session, other.session.csrf)).toBe(false);
  });

  test('refuse a cookie after its expiry', () => {
    let now = 1_000;
    const clock = (): number => now;
    const sessions = browserSessions(createSeal(secret, clock), clock);
    const { session, cookie } = sessions.begin(key, 60);
    expect(session.expires).toBe(61_000);
    now = 60_999;
    expect(sessions.open(cookie)).toBeDefined();
    now = 61_000;
    expect(sessions.open(cookie)).toBeUndefined();
  });

  test('refuse cookies of another store, changed cookies and values sealed for another purpose', () => {
    const seal = createSeal(secret);
    const sessions = browserSessions(seal);
    const { session, cookie } = sessions.begin(key, 60);
    const other = browserSessions(createSeal(createSecretKey(Buffer.alloc(32, 2)))).begin(key, 60).cookie;
    const changed = [...cookie].map((_sign, at) =>
      Buffer.from(cookie, 'base64url').map((byte, index) => (index === at ? byte ^ 1 : byte)),
    );
    const forged = [
      '',
      'null',
      other,
      seal.seal('attempt', session, 60_000),
      Buffer.from(JSON.stringify(session)).toString('base64url'),
      ...changed
        .slice(0, Buffer.from(cookie, 'base64url').length)
        .map((bytes) => Buffer.from(bytes).toString('base64url')),
    ];
    expect(forged.filter((text) => sessions.open(text) !== undefined)).toEqual([]);
  });
});

test.each(['', 'x', 'undefined', 'null'])('the CSRF token %j is invalid', (token) => {
  const { session } = browserSessions(createSeal(secret)).begin(key, 60);
  expect(isCsrfToken(session, token)).toBe(false);
  expect(isCsrfToken(session, session.csrf.slice(0, -1))).toBe(false);
  expect(isCsrfToken(session, `${session.csrf} `)).toBe(false);
  expect(isCsrfToken(session, session.csrf)).toBe(true);
});
