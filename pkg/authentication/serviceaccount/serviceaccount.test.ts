import { beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT, UnsecuredJWT, importJWK, type JWK } from 'jose';
import type { KubeObject } from '../../../api/resource.js';
import type { Authentication, Authenticator, KeyFingerprint } from '../interface.js';
import { serviceAccountAuthenticator, type ReadObject } from './authenticator.js';
import { MADE_WITH, madeWithClaim } from '../issuedtoken/madewith.js';
import { tokenSigner } from '../issuedtoken/sign.js';
import { fixedKeys, newKey } from '../issuedtoken/testing/signingkeys.js';
import { CLAIM, DEFAULT_AUDIENCE, accountName, claimOf, type ServiceAccountToken } from './token.js';

const ISSUER = 'https://issuer.example';

interface Content extends ServiceAccountToken {
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const now = Math.floor(Date.now() / 1000);
const CONTENT: Content = {
  namespace: 'n',
  serviceAccount: { name: 'a', uid: 'u1' },
  secret: undefined,
  audiences: [DEFAULT_AUDIENCE],
  issuedAt: now,
  expiresAt: now + 600,
};

async function signed(
  by: JWK,
  { audiences, issuedAt, expiresAt, ...account }: Content,
  more: object = {},
): Promise<string> {
  const subject = accountName({ namespace: account.namespace, name: account.serviceAccount.name });
  const sign = tokenSigner(fixedKeys(by), () => ISSUER);
  const claims = { [CLAIM]: claimOf(account), ...more };
  return (await sign({ subject, audiences, issuedAt, expiresAt, claims })).token;
}

/** The expiries of the keys that tokens were created with, by name. */
let ends: Record<string, number> = {};
const madeWithEnd = ({ name }: KeyFingerprint): number => ends[name] ?? 0;

const authenticatorOf = (keys: readonly JWK[], from: ReadObject): Authenticator =>
  serviceAccountAuthenticator({
    keys: fixedKeys(...keys),
    read: from,
    audiences: [DEFAULT_AUDIENCE],
    madeWithEnd,
  });

const object = (kind: string, name: string, uid: string): KubeObject => ({
  kind,
  apiVersion: 'v1',
  metadata: { name, namespace: 'n', uid },
});

let key: JWK;
let older: JWK;
beforeAll(async () => {
  [key, older] = await Promise.all([newKey(), newKey()]);
});

/** The existing objects, by resource and path. */
const objects = new Map([
  ['serviceaccounts/n/a', object('ServiceAccount', 'a', 'u1')],
  ['secrets/n/s', object('Secret', 's', 'u2')],
]);
const read: ReadObject = (resource, path) => objects.get(`${resource}/${path}`);

const ask = async (token: string, audiences?: readonly string[], from = read): Promise<Authentication> =>
  authenticatorOf([key, older], from).authenticate({
    authorization: `Bearer ${token}`,
    certificate: undefined,
    rawHeaders: [],
    ...(audiences !== undefined && { audiences }),
  });

test('authenticates a token as its service account', async () => {
  const answer = await ask(await signed(key, CONTENT));
  expect(answer).toEqual({
    outcome: 'user',
    expires: expect.any(Number),
    user: {
      name: 'system:serviceaccount:n:a',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
      credential: { expires: CONTENT.expiresAt * 1000 },
    },
    audiences: [DEFAULT_AUDIENCE],
  });
});

test('verifies tokens of a key that no longer signs', async () => {
  expect(await ask(await signed(older, CONTENT))).toMatchObject({ outcome: 'user' });
});

test('authenticates a token for its own audiences', async () => {
  const token = await signed(key, { ...CONTENT, audiences: ['x', 'y'] });
  expect(await ask(token)).toMatchObject({ outcome: 'refused' });
  expect(await ask(token, ['y', 'z'])).toMatchObject({ outcome: 'user', audiences: ['y'] });
});

describe('refuses a token', () => {
  test.each<[string, Partial<Content>]>([
    ['that has expired', { issuedAt: now - 700, expiresAt: now - 1 }],
    ['that is not valid yet', { issuedAt: now + 300 }],
    ['of an account that is gone', { serviceAccount: { name: 'b', uid: 'u1' } }],
    ['of an account that was made anew', { serviceAccount: { name: 'a', uid: 'u0' } }],
    ['bound to a Secret that is gone', { secret: { name: 't', uid: 'u2' } }],
    ['bound to a Secret that was made anew', { secret: { name: 's', uid: 'u0' } }],
  ])('%s', async (_name, content) => {
    const token = await signed(key, { ...CONTENT, ...content });
    expect(await ask(token)).toEqual({ outcome: 'refused', message: 'Unauthorized' });
  });

  test('of another key', async () => {
    expect(await ask(await signed(await newKey(), CONTENT))).toMatchObject({ outcome: 'refused' });
  });

  test('without a signature', async () => {
    const token = new UnsecuredJWT({ [CLAIM]: { namespace: 'n', serviceaccount: { name: 'a', uid: 'u1' } } })
      .setIssuer(ISSUER)
      .setSubject('system:serviceaccount:n:a')
      .setAudience(DEFAULT_AUDIENCE)
      .setExpirationTime(now + 600)
      .encode();
    expect(await ask(token)).toMatchObject({ outcome: 'refused' });
  });

  test('with another account as subject', async () => {
    const token = await new SignJWT({ [CLAIM]: { namespace: 'n', serviceaccount: { name: 'a', uid: 'u1' } } })
      .setProtectedHeader({ alg: 'ES256', ...(key.kid !== undefined && { kid: key.kid }) })
      .setIssuer(ISSUER)
      .setSubject('system:serviceaccount:n:b')
      .setAudience(DEFAULT_AUDIENCE)
      .setExpirationTime(now + 600)
      .sign(await importJWK(key, 'ES256'));
    expect(await ask(token)).toMatchObject({ outcome: 'refused' });
  });
});

test.each(['', 'opaque', 'a.b.c', 'e30.e30.e30'])('ignores the token %j', async (token) => {
  expect(await ask(token)).toEqual({ outcome: 'none' });
});

test('authenticates a cached token again, without waiting', async () => {
  const there = new Map(objects);
  const authenticator = authenticatorOf([key], (resource, path) => there.get(`${resource}/${path}`));
  const token = await signed(key, { ...CONTENT, secret: { name: 's', uid: 'u2' } });
  const credentials = { authorization: `Bearer ${token}`, certificate: undefined, rawHeaders: [] };
  expect(await authenticator.authenticate(credentials)).toMatchObject({ outcome: 'user' });
  expect(authenticator.authenticate(credentials)).toMatchObject({ outcome: 'user' });
  there.delete('secrets/n/s');
  expect(authenticator.authenticate(credentials)).toEqual({ outcome: 'refused', message: 'Unauthorized' });
});

test('a token ends with the access key of its request', async () => {
  const madeWith = { name: 'k', uid: 'u3', fingerprint: 'f' };
  ends = { k: Infinity };
  const token = await signed(key, CONTENT, madeWithClaim(madeWith));
  expect(await ask(token)).toMatchObject({
    user: { credential: { madeWith } },
    expires: CONTENT.expiresAt * 1000,
  });
  ends = { k: Date.now() + 1000 };
  expect(await ask(token)).toMatchObject({ outcome: 'user', expires: ends.k });
  ends = { k: 0 };
  expect(await ask(token)).toEqual({ outcome: 'refused', message: 'Unauthorized' });
  for (const claim of [null, 5, 'k', {}, { name: 'k' }, []])
    expect(await ask(await signed(key, CONTENT, { [MADE_WITH]: claim }))).toMatchObject({
      outcome: 'refused',
    });
});
