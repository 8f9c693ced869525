import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  makeAuthority,
  makeIdentity,
  type Identity,
  type IdentityOptions,
} from '../../test/fixtures/clients/clientcertificates.js';
import { bearerAuthenticator, bearerToken } from './bearer.js';
import { parseBundle } from './certificates/bundle.js';
import { clientCertificateAuthenticator } from './clientcertificate.js';
import type { Authentication, Authenticator, Credentials, User } from './interface.js';
import { parseTokenFile } from './tokenfile.js';
import { unionAuthenticator } from './union.js';

const offer = (authorization?: string, certificate?: Credentials['certificate']): Credentials => ({
  authorization,
  certificate,
  rawHeaders: [],
});

const FILE = [
  '# people',
  'abc,ann,1,"editors,viewers"',
  '"d,e",bob,2',
  'f,"carl ""c""",3,ops',
  '',
  'g,dora,4,"system:masters"\r',
  '',
].join('\n');

describe('token file', () => {
  const authenticator = bearerAuthenticator(parseTokenFile(FILE));

  test.each([
    [
      'Bearer abc',
      { name: 'ann', uid: '1', groups: ['editors', 'viewers', 'system:authenticated'], extra: {} },
    ],
    ['bearer  abc', { name: 'ann' }],
    ['Bearer d,e', { name: 'bob', groups: ['system:authenticated'] }],
    ['Bearer f', { name: 'carl "c"', groups: ['ops', 'system:authenticated'] }],
    ['Bearer g', { name: 'dora', uid: '4', groups: ['system:masters', 'system:authenticated'] }],
  ])('%s is a user', (authorization, user) => {
    expect(authenticator.authenticate(offer(authorization))).toMatchObject({ outcome: 'user', user });
  });

  test.each([['Bearer abcd'], ['Bearer ab'], ['Bearer __proto__'], ['Bearer 1']])(
    '%s is refused',
    (authorization) => {
      expect(authenticator.authenticate(offer(authorization))).toEqual({
        outcome: 'refused',
        message: 'Unauthorized',
      });
    },
  );

  test.each([[undefined], ['Basic abc'], ['Bearer'], ['Bearer '], ['abc'], ['Bearer a b']])(
    '%s is ignored',
    (authorization) => {
      expect(authenticator.authenticate(offer(authorization))).toEqual({ outcome: 'none' });
    },
  );

  test.each([
    ['a,b', 'line 1 is not'],
    ['x,u,1\nsecret-token,"u,1', 'line 2 is not'],
    [',u,1', 'line 1 lacks'],
    ['a,,1', 'line 1 lacks'],
    ['a,u,1\na,v,2', 'line 2 repeats'],
    ['a,"b"c,1', 'line 1 is not'],
  ])('%j is refused', (text, message) => {
    expect(() => parseTokenFile(text)).toThrow(message);
    expect(() => parseTokenFile(text)).not.toThrow('secret');
  });

  test('bearerToken takes one token', () => expect(bearerToken('Bearer a=/+')).toBe('a=/+'));
});

test('a client certificate is a user with its organizations as groups', async () => {
  const authority = await makeAuthority('root');
  const bundle = parseBundle(authority.certificate);
  const certificates = clientCertificateAuthenticator(() => bundle);
  const show = async (issuer: Identity, subject: IdentityOptions['subject']) => {
    const { certificate } = await makeIdentity({ subject, issuer });
    return offer(undefined, { leaf: new X509Certificate(certificate), intermediates: [] });
  };
  const eve = [{ CN: ['eve'] }, { O: ['a'] }, { O: ['b'] }];
  expect(certificates.authenticate(await show(authority, eve))).toEqual({
    outcome: 'user',
    expires: expect.any(Number),
    user: {
      name: 'eve',
      uid: '',
      groups: ['a', 'b', 'system:authenticated'],
      extra: {},
      credential: { expires: expect.any(Number) },
    },
  });
  expect(certificates.authenticate(await show(authority, [{ O: ['a'] }]))).toEqual({ outcome: 'none' });
  const stranger = await makeAuthority('root');
  expect(certificates.authenticate(await show(stranger, eve))).toMatchObject({ outcome: 'refused' });
  expect(certificates.authenticate(offer('Bearer x'))).toEqual({ outcome: 'none' });
  const nobody = clientCertificateAuthenticator(() => undefined);
  expect(nobody.authenticate(await show(authority, eve))).toEqual({ outcome: 'none' });
});

describe('union', () => {
  const user: User = { name: 'u', uid: '', groups: [], extra: {} };
  const KNOWN: Authentication = { outcome: 'user', user };
  const NONE: Authentication = { outcome: 'none' };
  const REFUSED: Authentication = { outcome: 'refused', message: 'no' };
  const now = (answer: Authentication): Authenticator => ({ authenticate: () => answer });
  const later = (answer: Authentication): Authenticator => ({ authenticate: () => Promise.resolve(answer) });

  test.each<[string, Authenticator[], Authentication]>([
    ['nobody', [], NONE],
    ['none', [now(NONE), now(NONE)], NONE],
    ['first refused, second knows', [now(REFUSED), now(KNOWN)], KNOWN],
    ['refused stays', [now(REFUSED), now(NONE)], REFUSED],
    ['late', [now(NONE), later(KNOWN)], KNOWN],
    ['late refusal', [later(REFUSED), later(NONE)], REFUSED],
    ['after a late none', [later(NONE), now(KNOWN)], KNOWN],
  ])('%s', async (_name, members, expected) => {
    expect(await unionAuthenticator(members).authenticate(offer())).toEqual(expected);
  });

  test('is synchronous if its members are', () => {
    expect(unionAuthenticator([now(NONE), now(KNOWN)]).authenticate(offer())).toEqual(KNOWN);
  });
});
