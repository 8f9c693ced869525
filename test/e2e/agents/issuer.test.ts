/**
 * The OIDC discovery documents with which others verify tokens of the server. The tests verify the tokens with openssl.
 */
import { spawnSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client } from '../../fixtures/clients/client.js';
import { fetchFrom, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

let server: ServerFixture;
beforeAll(async () => {
  server = await startServer({ flags: ['--anonymous-auth=false', '--signing-key-rotation=4s'] });
});
afterAll(() => server.remove());

interface Jwk extends Record<string, string> {
  kid: string;
}

const open = (path: string): Promise<Answer> => fetchFrom(`${server.url}${path}`, { token: '' });
const keys = async (): Promise<Jwk[]> =>
  (JSON.parse((await open('/openid/v1/jwks')).text) as { keys: Jwk[] }).keys;

async function accountToken(): Promise<string> {
  const answer = await client(server).send('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', {
    spec: { audiences: ['x'] },
  });
  expect(answer.status).toBe(201);
  return (JSON.parse(answer.text) as { status: { token: string } }).status.token;
}

/** An ES256 signature is the concatenation of r and s, but openssl needs DER. */
function derSignature(raw: Buffer): Buffer {
  const integer = (bytes: Buffer): Buffer => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.subarray(start);
    const body = (short[0] ?? 0) > 127 ? Buffer.concat([Buffer.of(0), short]) : short;
    return Buffer.concat([Buffer.of(2, body.length), body]);
  };
  const both = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
  return Buffer.concat([Buffer.of(0x30, both.length), both]);
}

function opensslVerifies(token: string, key: Jwk): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const file = (name: string, content: string | Buffer): string => {
    const path = join(server.directory, name);
    writeFileSync(path, content);
    return path;
  };
  const pem = createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const args = [
    'dgst',
    '-sha256',
    '-verify',
    file('key.pem', pem),
    '-signature',
    file('signature', derSignature(Buffer.from(signature, 'base64url'))),
    file('signed', `${header}.${payload}`),
  ];
  const { status, stdout, error } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  return status === 0 && stdout.includes('Verified OK');
}

const part = (token: string, at: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString()) as Record<string, unknown>;

test('the issuer and its keys are public, and nothing else is', async () => {
  const answer = await open('/.well-known/openid-configuration');
  expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
    200,
    'application/json',
    'public, max-age=300',
  ]);
  expect(JSON.parse(answer.text)).toEqual({
    issuer: server.url,
    jwks_uri: `${server.url}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
  const jwks = await open('/openid/v1/jwks');
  expect([jwks.status, jwks.headers['content-type']]).toEqual([200, 'application/jwk-set+json']);
  for (const key of await keys()) {
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  }
  expect((await open('/version')).status).toBe(401);
  expect((await fetchFrom(`${server.url}/openid/v1/jwks`, { token: 'wrong' })).status).toBe(401);
  expect((await fetchFrom(`${server.url}/openid/v1/jwks`, { method: 'POST' })).status).toBe(405);
});

test('openssl verifies tokens by those keys, also after the server signs with another', async () => {
  await client(server).send('POST', '/api/v1/namespaces/default/serviceaccounts', {
    metadata: { name: 'robot' },
  });
  const before = await accountToken();
  const { kid, alg } = part(before, 0);
  expect(alg).toBe('ES256');
  expect(part(before, 1)).toMatchObject({
    iss: server.url,
    sub: 'system:serviceaccount:default:robot',
    aud: ['x'],
    jti: expect.any(String),
  });
  const after = await eventually('a token with the next key', async () => {
    const token = await accountToken();
    return part(token, 0).kid !== kid && token;
  });
  const known = await keys();
  for (const token of [before, after]) {
    const key = known.find((each) => each.kid === part(token, 0).kid) as Jwk;
    expect(opensslVerifies(token, key)).toBe(true);
    const other = known.find((each) => each.kid !== key.kid) as Jwk;
    expect(opensslVerifies(token, other)).toBe(false);
    const [header, , signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ ...part(token, 1), sub: 'admin' })).toString('base64url');
    expect(opensslVerifies(`${header}.${forged}.${signature}`, key)).toBe(false);
  }
});

test('the record of a request for a token names it by its id', async () => {
  const { jti } = part(await accountToken(), 1);
  await server.stop();
  const log = spawnSync('grep', ['-r', jti as string, join(server.directory, 'data', 'audit')], {
    encoding: 'utf8',
  });
  expect(log.stdout).toContain(`"authentication.kubernetes.io/issued-credential-id":"JTI=${jti as string}"`);
});
