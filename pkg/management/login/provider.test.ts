import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as jose from 'jose';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { issueAuthority, issueServing } from '../../pki/issue.js';
import { backChannelLogout } from './backchannel/backchannellogout.js';
import type { LoginSettings } from './interface.js';
import { completed, openProvider } from './provider.js';
import { LOGIN_SETTINGS } from '../../../test/fixtures/stubs/loginsettings.js';

const BINDING = { state: 's', nonce: 'n', verifier: 'v'.repeat(43) };
const KID = 'key-1';

type Keys = Awaited<ReturnType<typeof jose.generateKeyPair>>;
let own: Keys;
let other: Keys;
let issuer: string;
let settings: LoginSettings;
let idToken: () => Promise<string> | string;
let keysStatus: number;
/** Replace members of the discovery document. */
let metadata: object;
let close: () => void;

const signed = (key: jose.CryptoKey | Uint8Array, alg = 'RS256', claims: object = {}): Promise<string> =>
  new jose.SignJWT({ nonce: BINDING.nonce, preferred_username: 'anna', ...claims })
    .setProtectedHeader({ alg, kid: KID })
    .setIssuer(issuer)
    .setSubject('anna')
    .setAudience('acme')
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(key);

beforeAll(async () => {
  [own, other] = [await jose.generateKeyPair('RS256'), await jose.generateKeyPair('RS256')];
  const authority = await issueAuthority('provider');
  const { certificate, key } = await issueServing(authority, ['127.0.0.1']);
  const answers: Readonly<Record<string, () => Promise<object>>> = {
    '/.well-known/openid-configuration': async () => ({
      issuer,
      jwks_uri: `${issuer}/keys`,
      token_endpoint: `${issuer}/token`,
      authorization_endpoint: `${issuer}/authorize`,
      userinfo_endpoint: `${issuer}/userinfo`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...metadata,
    }),
    '/keys': async () => ({
      keys: [{ ...(await jose.exportJWK(own.publicKey)), kid: KID, alg: 'RS256', use: 'sig' }],
    }),
    '/userinfo': () => Promise.resolve({ sub: 'anna', org: { level: '3' } }),
    '/token': async () => ({ access_token: 'a', token_type: 'Bearer', id_token: await idToken() }),
  };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const status = request.url === '/keys' ? keysStatus : 200;
    void answers[request.url ?? '']?.().then((answer) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  settings = { ...LOGIN_SETTINGS, issuer, authorities: authority.certificate };
});
afterAll(() => close?.());
beforeEach(() => {
  keysStatus = 200;
  metadata = {};
});

async function redeemed(clientSecret?: string, ruleClaims: string[] = []): Promise<unknown> {
  const provider = openProvider({ ...settings, clientSecret }, () => ruleClaims);
  return (await provider.redeem(new URL('https://here/?code=c&state=s'), BINDING)).claims;
}

test.each<[string[], boolean]>([
  [[], false],
  [['preferred_username'], false],
  [['org.level'], true],
])('user info is asked for what group rules look at and the ID token lacks: %j', async (names, isAsked) => {
  idToken = () => signed(own.privateKey, 'RS256', { name: 'a', email: 'a@x', groups: [] });
  expect('org' in Object(await redeemed(undefined, names))).toBe(isAsked);
});

test.each([undefined, 'of the tests'])(
  'an ID token counts that the provider signed (client secret: %j)',
  async (secret) => {
    idToken = () => signed(own.privateKey);
    expect(await redeemed(secret)).toMatchObject({ sub: 'anna', preferred_username: 'anna' });
  },
);

test.each<[string, () => Promise<string> | string]>([
  ['another key', () => signed(other.privateKey)],
  [
    'the public key as a shared secret',
    async () => signed(Buffer.from(await jose.exportSPKI(own.publicKey)), 'HS256'),
  ],
  [
    'nobody',
    () => {
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = { iss: issuer, sub: 'anna', aud: 'acme', nonce: 'n', iat: 1, exp: 4e9 };
      return `${part({ alg: 'none' })}.${part(claims)}.`;
    },
  ],
  [
    'the provider, of which a claim was changed',
    async () => {
      const [head, , signature] = (await signed(own.privateKey)).split('.');
      const [, claims] = (await signed(other.privateKey, 'RS256', { preferred_username: 'root' })).split('.');
      return [head, claims, signature].join('.');
    },
  ],
])('one that is signed by %s does not', async (_by, token) => {
  idToken = token;
  for (const secret of [undefined, 'of the tests'])
    await expect(redeemed(secret)).rejects.toMatchObject({ name: 'LoginFailure', code: 400 });
});

test('nobody logs in while the keys of the provider cannot be read', async () => {
  keysStatus = 503;
  idToken = () => signed(own.privateKey);
  await expect(redeemed()).rejects.toMatchObject({ name: 'LoginFailure' });
});

test.each<[string, object, string]>([
  [
    'another issuer, which is told',
    { issuer: 'https://login.example/{tenantid}/v2.0' },
    'says that it is the issuer "https://login.example/{tenantid}/v2.0", not the configured one',
  ],
  ['no issuer', { issuer: 5 }, 'cannot be reached'],
  ['no login for people', { authorization_endpoint: undefined }, 'no login for people'],
])('nobody logs in at a provider that has %s', async (_what, given, text) => {
  metadata = given;
  idToken = () => signed(own.privateKey);
  await expect(redeemed()).rejects.toMatchObject({ code: 502, message: expect.stringContaining(text) });
});

describe('claims of the user info', () => {
  const of = (token: object, info: object): unknown =>
    completed({ sub: 's', ...token }, { sub: 's', ...info });

  test.each<[string, object, object, object]>([
    ['complete the ID token', { name: 'a' }, { name: 'b', groups: ['g'] }, { name: 'a', groups: ['g'] }],
    ['verify the address beside them', {}, { email: 'a@x', email_verified: true }, { email_verified: true }],
    [
      'verify the same address',
      { email: 'a@x' },
      { email: 'a@x', email_verified: true },
      { email_verified: true },
    ],
    [
      'verify no other address',
      { email: 'a@x' },
      { email: 'b@x', email_verified: true },
      { email: 'a@x', email_verified: undefined },
    ],
    [
      'verify nothing by themselves',
      { email: 'a@x', email_verified: false },
      { email: 'a@x', email_verified: true },
      { email_verified: false },
    ],
    [
      'are verified by no other address',
      { email_verified: true },
      { email: 'b@x' },
      { email: 'b@x', email_verified: undefined },
    ],
  ])('%s', (_what, token, info, expected) => expect(of(token, info)).toMatchObject(expected));
});

test('a logout that failed can be announced again', async () => {
  const used = new Set<string>();
  const away = new Error('away');
  const logout = backChannelLogout({
    users: {} as ResourceStore,
    keys: {} as ResourceStore,
    settings,
    usedLogins: {
      use: (one) => Promise.resolve(!used.has(one) && used.add(one).has(one)),
      release: (one) => Promise.resolve(void used.delete(one)),
    },
    endedLogins: { end: () => Promise.reject(away) },
  });
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const token = await new jose.SignJWT({ events, sub: 'anna', jti: 'j' })
    .setProtectedHeader({ alg: 'RS256', kid: KID })
    .setIssuer(issuer)
    .setAudience('acme')
    .setIssuedAt()
    .setExpirationTime('2m')
    .sign(own.privateKey);
  for (let time = 0; time < 2; time += 1) await expect(logout(token)).rejects.toBe(away);
});
