import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { identityOf, nameOf, requestGroups } from './claims.js';
import { failurePage, keyPage } from './pages.js';
import { groupsOfKey } from './record/loginrecord.js';
import { createSeal } from './sealedcookie.js';
import { LOGIN_SETTINGS } from '../../../test/fixtures/stubs/loginsettings.js';

const CLAIMS = { sub: 's', preferred_username: 'anna' };

test.each([
  ['anna', 'anna'],
  ['Anna.B@Example.com', 'anna.b-example.com'],
  ['Ünal Ö', 'u-nal-o'],
  ['..a..b..', 'a.b'],
  ['a.-.b', 'a.b'],
  ['system:admin', 'system-admin'],
  ['../../etc', 'etc'],
  ['---', ''],
  ['漢字', ''],
  ['x'.repeat(300), 'x'.repeat(200)],
])('%s is called %s', (username, name) => expect(nameOf(username)).toBe(name));

test.each([
  ['', 'anna', 'anna'],
  ['oidc-', 'anna', 'oidc-anna'],
  ['oidc-', '.kube.', 'oidc-kube'],
  ['oidc-', '-', undefined],
  ['oidc-', 'system:admin', 'oidc-system-admin'],
  ['oidc-', 'kubernetes-admin', 'oidc-kubernetes-admin'],
  ['oidc-', 'x'.repeat(300), `oidc-${'x'.repeat(195)}`],
  ['oidc-', `${'x'.repeat(194)}-y`, `oidc-${'x'.repeat(194)}`],
])('with the prefix %j, %s is called %s', (usernamePrefix, username, name) => {
  const read = (): string =>
    identityOf({ ...CLAIMS, preferred_username: username }, { ...LOGIN_SETTINGS, usernamePrefix }).name;
  if (name === undefined) expect(read).toThrow('no usable "preferred_username"');
  else expect(read()).toBe(name);
});

test.each([
  ['x', 8_996, 1],
  ['x', 8_997, 0],
  ['ü', 4_498, 1],
  ['ü', 4_499, 0],
])('a key has the groups up to 9000 bytes: %s, %i times', (sign, times, left) => {
  const identity = { ...identityOf(CLAIMS, LOGIN_SETTINGS), at: 0, providerGroups: [sign.repeat(times)] };
  expect(groupsOfKey(identity, LOGIN_SETTINGS)).toHaveLength(left);
});

describe('groups', () => {
  test.each<[unknown, string, string[]]>([
    [['a', 'b', 'a'], '', ['a', 'b']],
    ['a', '', ['a']],
    [undefined, '', []],
    [[1, null, '', {}], '', []],
    [['system:masters', 'management:admins', 'management:team:x', 'devs'], '', ['devs']],
    [['system:masters', 'devs'], 'oidc:', ['oidc:system:masters', 'oidc:devs']],
    [['masters'], 'system:', []],
  ])('%j with the prefix %j', (groups, groupsPrefix, expected) => {
    expect(requestGroups(identityOf({ ...CLAIMS, groups }, LOGIN_SETTINGS), { groupsPrefix })).toEqual(
      expected,
    );
  });
});

test.each<[Record<string, string>, Record<string, unknown>, boolean]>([
  [{ hd: 'example.com' }, { hd: 'example.com' }, true],
  [{ hd: 'example.com' }, { hd: 'other.com' }, false],
  [{ hd: 'example.com' }, {}, false],
  [{ roles: 'ops' }, { roles: ['devs', 'ops'] }, true],
  [{ roles: 'ops' }, { roles: ['devs'] }, false],
  [{ roles: 'ops', hd: 'x' }, { roles: ['ops'] }, false],
  [{ ok: 'true' }, { ok: true }, true],
])('requires claims %j of %j: %j', (requiredClaims, claims, good) => {
  const read = (): unknown => identityOf({ ...CLAIMS, ...claims }, { ...LOGIN_SETTINGS, requiredClaims });
  if (good) expect(read()).toMatchObject({ name: 'anna' });
  else expect(read).toThrow('may not log in here');
});

test('opens a sealed value only for its purpose, before its expiry, with the shared secret', () => {
  let now = 1_000;
  const [one, other] = [
    createSeal(createSecretKey(Buffer.alloc(32, 1)), () => now),
    createSeal(createSecretKey(Buffer.alloc(32, 2)), () => now),
  ];
  const sealed = one.seal('a', { secret: 'content' }, 100);
  expect(sealed).not.toContain('content');
  expect(createSeal(createSecretKey(Buffer.alloc(32, 1)), () => now).open('a', sealed)).toEqual({
    secret: 'content',
  });
  expect(other.open('a', sealed)).toBeUndefined();
  expect(one.open('b', sealed)).toBeUndefined();
  for (let at = 0; at < sealed.length - 1; at += 1) {
    const letter = sealed[at] === 'A' ? 'B' : 'A';
    expect(one.open('a', sealed.slice(0, at) + letter + sealed.slice(at + 1))).toBeUndefined();
  }
  for (const text of ['', 'A', '%%%', sealed.slice(0, 30)]) expect(one.open('a', text)).toBeUndefined();
  now = 1_100;
  expect(one.open('a', sealed)).toBeUndefined();
});

test('pages escape texts', () => {
  const evil = `<script>alert("x")</script>'&`;
  const key = { uid: '', key: evil, name: evil, user: evil, expiresInSeconds: 60 };
  for (const page of [keyPage(key, evil), failurePage(evil, evil)]) {
    expect(page).not.toContain('<script>alert');
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;');
  }
});
