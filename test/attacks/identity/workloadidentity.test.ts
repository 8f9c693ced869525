/**
 * Workload identity: a token is exchanged for a key of a rule's user only if its issuer signed it, it is for this
 * server and valid now, and its claims match the rule. The issuers are real (oidc-provider), except for one whose keys
 * are in a file.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import * as jose from 'jose';
import { client } from '../../fixtures/clients/client.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { fetchFrom, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { platformCli } from '../../fixtures/clients/platformcli.js';
import { authorityOf } from '../../fixtures/servers/authority.js';
import { type WorkloadIssuerFixture, startWorkloadIssuer } from '../../fixtures/stubs/workloadissuer.js';

const API = '/apis/management.svc.example/v1';
const PATH = '/auth/workload/token';
const AUDIENCE = 'https://management.example.com';
const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const CLUSTER = 'https://kubernetes.default.svc';
const POD = 'system:serviceaccount:ci:builder';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const directory = mkdtempSync(join(tmpdir(), 'workload-'));

interface Exchanged {
  readonly status: number;
  readonly access_token?: string;
  readonly access_key: string;
  readonly error?: string;
  readonly error_description?: string;
}

let github: WorkloadIssuerFixture;
let gitlab: WorkloadIssuerFixture;
/** The keys of a cluster whose issuer cannot be reached. */
let cluster: Awaited<ReturnType<typeof jose.generateKeyPair>>;

beforeAll(async () => {
  for (const level of ['info', 'warn'] as const) jest.spyOn(console, level).mockReturnValue(undefined);
  [github, gitlab] = await Promise.all([startWorkloadIssuer(), startWorkloadIssuer()]);
  cluster = await jose.generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await jose.exportJWK(cluster.publicKey)), kid: github.kid, alg: 'ES256' };
  const files = { 'jwks.json': { keys: [jwk] }, 'workload.yaml': configuration() };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), JSON.stringify(content));
  writeFileSync(join(directory, 'github.pem'), github.authority);
  writeFileSync(join(directory, 'gitlab.pem'), gitlab.authority);
});
afterAll(() => {
  for (const issuer of [github, gitlab]) issuer?.stop();
  rmSync(directory, { recursive: true });
});

const configuration = (): object => ({
  apiVersion: 'config.management.svc.example/v1',
  kind: 'WorkloadIdentityConfiguration',
  issuers: [
    {
      issuer: github.issuer,
      audience: AUDIENCE,
      caFile: 'github.pem',
      rules: [
        { name: 'disabled', claims: { repository: 'acme/old' }, user: 'off' },
        { name: 'nobody', claims: { repository: 'acme/gone' }, user: 'nobody' },
        {
          name: 'web',
          user: 'ci',
          ttl: '10m',
          claims: { repository: 'acme/web', ref: 'refs/heads/main' },
          scope: { allowPlatformCli: true, projects: [{ project: 'web' }] },
        },
        { name: 'tags', claims: { repository: 'acme/web', ref: 'refs/tags/*' }, user: 'releases', ttl: '1m' },
      ],
    },
    {
      issuer: gitlab.issuer,
      audience: AUDIENCE,
      caFile: 'gitlab.pem',
      rules: [{ name: 'gitlab', claims: { project_path: 'acme/web' }, user: 'ci' }],
    },
    {
      issuer: CLUSTER,
      audience: AUDIENCE,
      jwksFile: 'jwks.json',
      rules: [{ name: 'pod', claims: { sub: POD }, user: 'ci' }],
    },
  ],
});

const CLAIMS = { repository: 'acme/web', ref: 'refs/heads/main' };

describe('workload identity', () => {
  let server: ServerFixture;
  let remove: () => Promise<unknown>;

  beforeAll(async () => {
    const flags = [
      '--anonymous-auth=false',
      `--workload-identity-config=${join(directory, 'workload.yaml')}`,
    ];
    const engine = await startEmbedded({ flags });
    [server, remove] = [engine.server, () => engine.remove()];
    const make = async (kind: string, plural: string, name: string, spec: object): Promise<void> => {
      const object = { apiVersion: 'management.svc.example/v1', kind, metadata: { name }, spec };
      const { status, text } = await client(server).send('POST', `${API}/${plural}`, object);
      if (status !== 201) throw new Error(text);
    };
    for (const name of ['ci', 'releases']) await make('User', 'users', name, {});
    await make('User', 'users', 'off', { disabled: true });
    for (const name of ['web', 'other'])
      await make('Project', 'projects', name, {
        members: [{ kind: 'User', name: 'ci', clusterRole: 'management-project-admin' }],
      });
  });
  afterAll(async () => remove?.());

  const post = (body: string, type = 'application/x-www-form-urlencoded', path = PATH): Promise<Answer> =>
    fetchFrom(server.url + path, { method: 'POST', token: '', body, headers: { 'content-type': type } });
  const exchange = async (token: string): Promise<Exchanged> => {
    const form = { grant_type: GRANT, subject_token_type: JWT, subject_token: token };
    const { status, text } = await post(new URLSearchParams(form).toString());
    return { status, ...(JSON.parse(text) as Omit<Exchanged, 'status'>) };
  };
  const keyOf = async (name: string): Promise<{ spec: Record<string, unknown> }> =>
    JSON.parse((await client(server).send('GET', `${API}/ownedaccesskeys/${name}`)).text) as never;
  const sees = async (key: string, project: string): Promise<number> =>
    (await client(server, key).send('GET', `${API}/namespaces/loft-p-${project}/projectsecrets`)).status;

  describe('a workload gets a key', () => {
    test('of the user of its rule, with the scope and the life of it, and in the audit log', async () => {
      const answer = await exchange(await github.token({ aud: AUDIENCE, sub: 'repo:acme/web', ...CLAIMS }));
      expect(answer).toMatchObject({ status: 200, token_type: 'Bearer', expires_in: 600, user: 'ci' });
      const { access_token: key = '', access_key: name } = answer;
      expect((await keyOf(name)).spec).toMatchObject({
        user: 'ci',
        type: 'Other',
        ttl: 600,
        displayName: 'Workload web',
        scope: { allowPlatformCli: true, projects: [{ project: 'web' }] },
        description: `For a token of ${github.issuer}, whose subject was repo:acme/web.`,
      });
      expect(await sees(key, 'web')).toBe(200);
      expect(await sees(key, 'other')).toBe(403);
      expect(server.log()).not.toContain(key);
      const audit = join(server.directory, 'data', 'audit');
      const logged = (): string =>
        readdirSync(audit)
          .map((file) => readFileSync(join(audit, file), 'utf8'))
          .join('');
      for (let tries = 0; tries < 100 && !logged().includes('workload-key'); tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      expect(logged()).toContain(`"management.svc.example/workload-key":"${name}"`);
      expect(logged()).toContain('"management.svc.example/workload-subject":"repo:acme/web"');
      expect(logged()).not.toContain(key);
    });

    test('for a token that the provider issued by itself', async () => {
      const token = await github.issued(AUDIENCE, CLAIMS);
      expect(jose.decodeJwt(token)).toMatchObject({ iss: github.issuer, aud: AUDIENCE, sub: 'acme' });
      expect(await exchange(token)).toMatchObject({ status: 200, expires_in: 600, user: 'ci' });
      const other = await github.issued('https://elsewhere.example.com', CLAIMS);
      expect(await exchange(other)).toMatchObject({ status: 400 });
    });

    test('by JSON, by a tag, by another issuer, by keys in a file', async () => {
      const json = { grant_type: GRANT, subject_token_type: JWT };
      const tag = await github.token({ aud: AUDIENCE, sub: 's', ...CLAIMS, ref: 'refs/tags/v1' });
      const answer = await post(JSON.stringify({ ...json, subject_token: tag }), 'application/json');
      expect(JSON.parse(answer.text)).toMatchObject({ expires_in: 60, user: 'releases' });
      expect(
        await exchange(await gitlab.token({ aud: AUDIENCE, sub: 's', project_path: 'acme/web' })),
      ).toMatchObject({
        status: 200,
      });
      expect(await exchange(await podToken())).toMatchObject({ status: 200, user: 'ci' });
    });

    test('which ends when it is deleted, and when its user is disabled', async () => {
      const one = await exchange(await podToken());
      const other = await exchange(await podToken());
      const self = (key = ''): Promise<number> =>
        client(server, key)
          .send('POST', `${API}/selves`, { spec: {} })
          .then(({ status }) => status);
      expect([await self(one.access_token), await self(other.access_token)]).toEqual([201, 201]);
      await client(server).send('DELETE', `${API}/ownedaccesskeys/${one.access_key}`);
      expect([await self(one.access_token), await self(other.access_token)]).toEqual([401, 201]);
      await client(server).send('PATCH', `${API}/users/ci`, { spec: { disabled: true } }, MERGE);
      expect(await self(other.access_token)).toBe(401);
      expect(await exchange(await podToken())).toMatchObject({ status: 403, error: 'access_denied' });
      await client(server).send('PATCH', `${API}/users/ci`, { spec: { disabled: false } }, MERGE);
      expect(await exchange(await podToken())).toMatchObject({ status: 200 });
    });
  });

  const podToken = (claims: object = {}): Promise<string> =>
    sign(cluster.privateKey, {
      iss: CLUSTER,
      sub: POD,
      ...claims,
    });
  const sign = (
    key: Parameters<jose.SignJWT['sign']>[0],
    claims: object,
    header: Partial<jose.JWTHeaderParameters> = {},
  ): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const all = { aud: AUDIENCE, iat: now, exp: now + 300, jti: String(Math.random()), ...claims };
    return new jose.SignJWT(all as jose.JWTPayload)
      .setProtectedHeader({ alg: 'ES256', kid: github.kid, ...header })
      .sign(key);
  };
  const NOW = (): number => Math.floor(Date.now() / 1000);
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const withClaims = (token: string, claims: object): string => {
    const [header, payload = '', signature] = token.split('.');
    const said = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    return [header, encoded({ ...said, ...claims }), signature].join('.');
  };
  const legal = (claims: object = {}): Promise<string> =>
    github.token({ aud: AUDIENCE, sub: 's', ...CLAIMS, ...claims });

  /** Names of invalid tokens, functions that create them, and the expected status. */
  const TOKENS: readonly (readonly [string, () => Promise<string>, number])[] = [
    ['nothing', () => Promise.resolve(''), 400],
    ['no JWT', () => Promise.resolve('mk_key'), 400],
    ['three dots', () => Promise.resolve('..'), 400],
    ['five parts', async () => `${await legal()}.a.b`, 400],
    ['no JSON', () => Promise.resolve('e30.AAAA.AAAA'), 400],
    ['a payload that is a list', () => Promise.resolve(`${encoded({ alg: 'ES256' })}.W10.AAAA`), 400],
    [
      'nested deep',
      () =>
        Promise.resolve(
          `${encoded({ alg: 'ES256' })}.${Buffer.from('['.repeat(9_000)).toString('base64url')}.AAAA`,
        ),
      400,
    ],
    ['huge', () => legal({ pad: 'x'.repeat(20_000) }), 400],
    ['alg none', async () => `${encoded({ alg: 'none' })}.${(await legal()).split('.')[1] ?? ''}.`, 400],
    [
      'alg none, with a signature',
      async () => `${encoded({ alg: 'none', kid: github.kid })}.${(await legal()).split('.')[1] ?? ''}.AAAA`,
      400,
    ],
    [
      'HS256 by the public key',
      async () =>
        sign(
          new TextEncoder().encode(await jose.exportSPKI(cluster.publicKey)),
          { iss: CLUSTER, sub: POD },
          { alg: 'HS256' },
        ),
      400,
    ],
    [
      'its own key in the header',
      async () => {
        const own = await jose.generateKeyPair('ES256', { extractable: true });
        const jwk = await jose.exportJWK(own.publicKey);
        return sign(own.privateKey, { iss: github.issuer, sub: 's', ...CLAIMS }, { jwk });
      },
      400,
    ],
    [
      'a jku and an x5u of its own',
      async () => {
        const own = await jose.generateKeyPair('ES256');
        const jku = `${gitlab.issuer}/jwks`;
        return sign(own.privateKey, { iss: github.issuer, sub: 's', ...CLAIMS }, { jku, x5u: jku });
      },
      400,
    ],
    [
      'an unknown critical header',
      () =>
        new jose.SignJWT({ iss: CLUSTER, sub: POD, aud: AUDIENCE, iat: NOW(), exp: NOW() + 300 })
          .setProtectedHeader({ alg: 'ES256', kid: github.kid, crit: ['evil'], evil: true })
          .sign(cluster.privateKey, { crit: { evil: true } }),
      400,
    ],
    [
      'another issuer with the same key id',
      () => sign(cluster.privateKey, { iss: github.issuer, sub: 's', ...CLAIMS }),
      400,
    ],
    [
      'signed by one issuer, named after another',
      async () =>
        withClaims(await gitlab.token({ aud: AUDIENCE, sub: 's', ...CLAIMS }), { iss: github.issuer }),
      400,
    ],
    ['an issuer that nobody knows', () => podToken({ iss: 'https://evil.example' }), 400],
    ['the issuer with a slash', () => podToken({ iss: `${CLUSTER}/` }), 400],
    ['issuers in a list', () => podToken({ iss: [CLUSTER] }), 400],
    ['no issuer', () => podToken({ iss: undefined }), 400],
    ['an issuer called __proto__', () => podToken({ iss: '__proto__' }), 400],
    [
      'claims that were changed',
      async () => withClaims(await legal({ repository: 'evil/web' }), CLAIMS),
      400,
    ],
    ['another audience', () => legal({ aud: 'https://other.example' }), 400],
    ['another audience besides', () => legal({ aud: [AUDIENCE, 'https://other.example'] }), 400],
    ['no audience', () => podToken({ aud: undefined }), 400],
    ['an audience that begins alike', () => podToken({ aud: `${AUDIENCE}.evil` }), 400],
    ['one that has expired', () => podToken({ iat: NOW() - 600, exp: NOW() - 60 }), 400],
    ['one without an end', () => podToken({ exp: undefined }), 400],
    ['an end that is text', () => podToken({ exp: '9999999999' }), 400],
    ['one that is not yet in force', () => podToken({ nbf: NOW() + 600 }), 400],
    ['one of tomorrow', () => podToken({ iat: NOW() + 86_400, exp: NOW() + 90_000 }), 400],
    ['one of last week', () => podToken({ iat: NOW() - 7 * 86_400, exp: NOW() + 86_400 }), 400],
    ['one that does not say from when', () => podToken({ iat: undefined }), 400],
    ['one without a subject', () => podToken({ sub: undefined }), 400],
    ['a subject that is none', () => podToken({ sub: 7 }), 400],
    ['another repository', () => legal({ repository: 'acme/web2' }), 403],
    ['a repository that ends alike', () => legal({ repository: 'evil/acme/web' }), 403],
    ['in other letters', () => legal({ repository: 'Acme/Web' }), 403],
    ['the repository in a list', () => legal({ repository: ['acme/web'] }), 403],
    ['another branch', () => legal({ ref: 'refs/heads/main2' }), 403],
    ['a tag without a name', () => legal({ ref: 'refs/tags/' }), 403],
    ['no branch', () => legal({ ref: undefined }), 403],
    ['the rule of another issuer', () => gitlab.token({ aud: AUDIENCE, sub: 's', ...CLAIMS }), 403],
    ['another account', () => podToken({ sub: 'system:serviceaccount:ci:builder2' }), 403],
    ['a user who is disabled', () => legal({ repository: 'acme/old' }), 403],
    ['a user who is not there', () => legal({ repository: 'acme/gone' }), 403],
  ];

  test.each(TOKENS)('refuses to exchange %s', async (_what, make, code) => {
    const token = await make();
    const answer = await exchange(token);
    expect(answer).toMatchObject({ status: code, error: code === 403 ? 'access_denied' : 'invalid_grant' });
    expect(answer.access_token).toBeUndefined();
    if (token.length > 20) expect(server.log()).not.toContain(token.slice(0, 2000));
  });

  test('refuses invalid bodies', async () => {
    const token = await legal();
    const form = (more: string): string =>
      `grant_type=${GRANT}&subject_token_type=${JWT}&subject_token=${token}${more}`;
    for (const body of ['', '[]', 'null', '1', '{', form('&subject_token=other'), `subject_token=${token}`])
      for (const type of ['application/x-www-form-urlencoded', 'application/json', 'text/plain'])
        expect([400, body, type]).toEqual([(await post(body, type)).status, body, type]);
    expect((await post('x'.repeat(70_000))).status).toBe(400);
    expect((await fetchFrom(server.url + PATH, { token: '' })).status).toBe(405);
    // Other paths are not open to everyone.
    for (const path of ['/auth/workload', `${PATH}/x`, '/auth/login', '/auth/token'])
      expect((await post(form(''), undefined, path)).status).toBe(401);
    expect((await post(form(''))).status).toBe(200);
  });

  test('a token with other unused bits in its signature is not taken', async () => {
    const token = await podToken();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const bytes = Buffer.from(token.split('.')[2] ?? '', 'base64url');
    const spellings = [...alphabet]
      .map((last) => token.slice(0, -1) + last)
      .filter((one) => Buffer.from(one.split('.')[2] ?? '', 'base64url').equals(bytes) && one !== token);
    expect(spellings.length).toBeGreaterThan(0);
    for (const one of spellings) expect(await exchange(one)).toMatchObject({ status: 400 });
    expect(await exchange(token)).toMatchObject({ status: 200 });
  });

  test('a token is good for ten keys at a time, also when they are requested together', async () => {
    const token = await podToken({ jti: 'together' });
    const codes = await Promise.all(Array.from({ length: 30 }, () => exchange(token)));
    expect(codes.filter(({ status }) => status === 200)).toHaveLength(10);
  });

  test('a token is good for ten keys at a time', async () => {
    const token = await legal({ ref: 'refs/tags/many' });
    const codes: number[] = [];
    for (let at = 0; at < 11; at += 1) codes.push((await exchange(token)).status);
    expect(codes).toEqual([...Array<number>(10).fill(200), 403]);
    expect(await exchange(await legal({ ref: 'refs/tags/many' }))).toMatchObject({ status: 200 });
  });

  test('a pipeline logs in by the command line', async () => {
    const cli = platformCli();
    const file = (name: string, text: string): string => {
      writeFileSync(join(cli.home, name), text);
      return join(cli.home, name);
    };
    try {
      const ca = file('ca.crt', authorityOf(server));
      const token = file('token', `${await legal()}\n`);
      const login = ['login', server.url, '--ca-file', ca, '--workload-token-file'];
      expect(await cli.run([...login, token])).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(/ as ci\.\n$/),
      });
      expect(await cli.run(['get', 'project', 'web', '-o', 'name'])).toMatchObject({
        code: 0,
        stdout: 'web\n',
      });
      expect(await cli.run(['list', 'secrets', '--project', 'other'])).toMatchObject({ code: 4 });
      const refused = await cli.run([...login, file('bad', await legal({ repository: 'evil' }))]);
      expect(refused).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('No rule of this server accepts'),
      });
    } finally {
      cli.remove();
    }
  });
});
