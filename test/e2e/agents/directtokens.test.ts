/** Tokens for connected clusters, and what a client can read about its own identity. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { VIEWER_TOKEN, startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const AUDIENCE = 'management-direct-endpoint';
const WEB = { projects: [{ project: 'web' }] };
/** A scope that only allows token requests and reviews of the client itself. */
const NARROW = {
  rules: [
    {
      resources: [
        {
          group: 'management.svc.example',
          resources: ['directclusterendpointtokens', 'selves', 'ownedaccesskeys'],
        },
      ],
    },
  ],
};

let server: ServerFixture;
let admin: Client;
beforeAll(async () => {
  server = await startServer();
  admin = client(server);
  await created('users', 'anna', { displayName: 'Anna', email: 'anna@example.com', groups: ['devs'] });
  await created('users', 'ben');
  await created('teams', 'ops', { users: ['anna'] });
});
afterAll(() => server.remove());

const parsed = <T>(answer: Answer): T => JSON.parse(answer.text) as T;

async function created(plural: string, name: string, spec: object = {}): Promise<{ spec: { key: string } }> {
  const answer = await admin.send('POST', `${API}/${plural}`, { metadata: { name }, spec });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return parsed(answer);
}

/** A client with a new access key. */
async function keyOf(name: string, spec: object): Promise<Client & { key: string }> {
  const { key } = (await created('ownedaccesskeys', name, spec)).spec;
  return { ...client(server, key), key };
}

interface Token {
  metadata: object;
  spec: { ttl: number; scope?: object };
  status: { token: string };
}
const ask = (by: Client, spec: object = {}): Promise<Answer> =>
  by.send('POST', `${API}/directclusterendpointtokens`, { spec });
async function tokenOf(by: Client, spec: object = {}): Promise<Token> {
  const answer = await ask(by, spec);
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return parsed<Token>(answer);
}
const claimsOf = ({ status }: Token): Record<string, unknown> & { exp: number; iat: number } =>
  JSON.parse(Buffer.from(status.token.split('.')[1] ?? '', 'base64url').toString()) as never;

interface Review {
  authenticated?: boolean;
  user: { username?: string; groups?: string[]; uid?: string; extra?: Record<string, string[]> };
  audiences?: string[];
}
async function reviewed({ status: { token } }: Token, ...audiences: string[]): Promise<Review> {
  const spec = { token, audiences };
  const answer = await admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec });
  return parsed<{ status: Review }>(answer).status;
}
const setUser = (name: string, spec: object): Promise<Answer> =>
  admin.send('PATCH', `${API}/users/${name}`, { spec }, { 'content-type': 'application/merge-patch+json' });
const REFUSED = { user: {}, error: 'invalid bearer token' };

describe('a token', () => {
  test('says whose it is, for whom, and for how long', async () => {
    const anna = await keyOf('anna-1', { user: 'anna', groups: ['extra'] });
    const body = { kind: 'DirectClusterEndpointToken', apiVersion: 'management.svc.example/v1' };
    const answer = await anna.send('POST', `${API}/directclusterendpointtokens`, body);
    expect(answer.status).toBe(201);
    const token = parsed<Token>(answer);
    expect(token).toEqual({
      ...body,
      metadata: { creationTimestamp: expect.any(String) },
      spec: { ttl: 86_400 },
      status: { token: expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]+$/) },
    });
    const claims = claimsOf(token);
    const { metadata } = parsed<{ metadata: { uid: string } }>(await admin.send('GET', `${API}/users/anna`));
    expect(claims).toEqual({
      iss: server.url,
      sub: 'anna',
      aud: [AUDIENCE],
      iat: expect.any(Number),
      nbf: claims.iat,
      exp: claims.iat + 86_400,
      jti: expect.any(String),
      groups: ['management:user:anna', 'management:team:ops', 'management:authenticated', 'devs', 'extra'],
      'management.svc.example': { kind: 'User', name: 'anna', uid: metadata.uid, generation: 0 },
      'management.svc.example/made-with': {
        name: 'anna-1',
        uid: expect.any(String),
        fingerprint: expect.stringMatching(/^[\w-]{22}$/),
      },
    });
    expect(await reviewed(token, AUDIENCE)).toEqual({
      authenticated: true,
      user: {
        username: 'anna',
        uid: metadata.uid,
        groups: [...(claims.groups as string[]), 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti as string}`] },
      },
      audiences: [AUDIENCE],
    });
  });

  test('is refused by this server, and by every other audience', async () => {
    const token = await tokenOf(await keyOf('anna-2', { user: 'anna' }));
    const answer = await client(server, token.status.token).send('GET', '/version');
    expect(answer.status).toBe(401);
    expect(await reviewed(token)).toEqual(REFUSED);
    expect(await reviewed(token, 'other')).toEqual(REFUSED);
    expect(await reviewed(token, `${AUDIENCE}/scoped`)).toEqual(REFUSED);
  });

  test('of a team is the team', async () => {
    const token = await tokenOf(await keyOf('ops-1', { team: 'ops' }), { ttl: 60 });
    expect(claimsOf(token)).toMatchObject({
      sub: 'management:team:ops',
      groups: ['management:team:ops', 'management:authenticated'],
      'management.svc.example': { kind: 'Team', name: 'ops', generation: 0 },
    });
    expect(await reviewed(token, AUDIENCE)).toMatchObject({ authenticated: true });
  });

  test('ends with a new generation, with a team left, disabled and deleted users', async () => {
    const anna = await keyOf('anna-3', { user: 'anna' });
    const first = await tokenOf(anna);
    await admin.send(
      'PATCH',
      `${API}/teams/ops`,
      { spec: { users: [] } },
      {
        'content-type': 'application/merge-patch+json',
      },
    );
    expect((await reviewed(first, AUDIENCE)).user.groups).not.toContain('management:team:ops');
    expect((await setUser('anna', { tokenGeneration: 1 })).status).toBe(200);
    expect(await reviewed(first, AUDIENCE)).toEqual(REFUSED);
    const second = await tokenOf(anna);
    expect(claimsOf(second)['management.svc.example']).toMatchObject({ generation: 1 });
    expect(await reviewed(second, AUDIENCE)).toMatchObject({ authenticated: true });
    await setUser('anna', { disabled: true });
    expect(await reviewed(second, AUDIENCE)).toEqual(REFUSED);
    expect((await ask(anna)).status).toBe(401);
    await setUser('anna', { disabled: false });
    expect(await reviewed(second, AUDIENCE)).toMatchObject({ authenticated: true });

    const ben = await tokenOf(await keyOf('ben-1', { user: 'ben' }));
    await admin.send('DELETE', `${API}/users/ben`);
    await created('users', 'ben');
    expect(await reviewed(ben, AUDIENCE)).toEqual(REFUSED);
  });

  test('is recorded by its id, and nowhere as it is', async () => {
    const token = await tokenOf(await keyOf('anna-4', { user: 'anna' }));
    const { jti } = claimsOf(token);
    const id = `"authentication.kubernetes.io/issued-credential-id":"JTI=${jti as string}"`;
    const log = await eventually('the record', async () => {
      const text = readFileSync(join(server.directory, 'data', 'audit', 'audit.log'), 'utf8');
      return text.includes(id) && text;
    });
    for (const text of [log, server.log()]) expect(text).not.toContain(token.status.token);
  });
});

describe('a scope', () => {
  test('goes into the token, which then is for those who look at it, and lives an hour at most', async () => {
    const anna = await keyOf('anna-scope', { user: 'anna' });
    const token = await tokenOf(anna, { scope: WEB });
    const claims = claimsOf(token);
    expect(claims.aud).toEqual([AUDIENCE, `${AUDIENCE}/scoped`]);
    expect(claims.exp - claims.iat).toBe(3600);
    expect(claims['management.svc.example']).toMatchObject({ scope: WEB });
    expect(await reviewed(token, AUDIENCE)).toEqual(REFUSED);
    const review = await reviewed(token, AUDIENCE, `${AUDIENCE}/scoped`);
    expect(review.audiences).toEqual([`${AUDIENCE}/scoped`]);
    expect(JSON.parse(review.user.extra?.['management.svc.example/scope']?.[0] ?? '')).toEqual(WEB);
  });

  test('of the caller is in the token, and is not left', async () => {
    const scope = { ...NARROW, ...WEB };
    const scoped = await keyOf('anna-narrow', { user: 'anna', scope });
    expect(claimsOf(await tokenOf(scoped))['management.svc.example']).toMatchObject({ scope });
    expect(claimsOf(await tokenOf(scoped, { scope: WEB }))['management.svc.example']).toMatchObject({
      scope: WEB,
    });
    const wide = await ask(scoped, { scope: { projects: [{ project: '*' }] } });
    expect([wide.status, parsed<{ message: string }>(wide).message]).toEqual([
      403,
      'directclusterendpointtokens.management.svc.example is forbidden: the scope must be within that of the access key that is used',
    ]);
    const without = await keyOf('anna-web', { user: 'anna', scope: WEB });
    expect((await ask(without)).text).toContain('denied by access key scope');
  });
});

describe('a member of a project', () => {
  const inSpace = (space: string, project = 'staffed'): object => ({ spaces: [{ project, space }] });

  beforeAll(async () => {
    for (const name of ['north', 'south']) await created('clusters', name);
    const members = [{ kind: 'User', name: 'ben', clusterRole: 'management-project-user' }];
    for (const [name, spec] of [
      ['staffed', { members }],
      ['others', {}],
    ] as const) {
      await created('projects', name, { ...spec, allowedClusters: [{ name: '*' }] });
      await created(`namespaces/loft-p-${name}/spaceinstances`, 's', { clusterRef: { cluster: 'north' } });
    }
  });

  test('gets a token for a space of it, in its cluster', async () => {
    const ben = await keyOf('ben-space', { user: 'ben' });
    const token = await tokenOf(ben, { cluster: 'north', scope: inSpace('s') });
    expect(claimsOf(token).aud).toEqual([`${AUDIENCE}/north`, `${AUDIENCE}/north/scoped`]);
  });

  test.each([
    ['the whole cluster', { cluster: 'north' }],
    ['a space of another project', { cluster: 'north', scope: inSpace('s', 'others') }],
    [
      'a space of another project beside it',
      {
        cluster: 'north',
        scope: {
          spaces: [
            { project: 'staffed', space: 's' },
            { project: 'others', space: 's' },
          ],
        },
      },
    ],
    ['all spaces', { cluster: 'north', scope: inSpace('*') }],
    ['a space that is not there', { cluster: 'north', scope: inSpace('none') }],
    ['its project', { cluster: 'north', scope: { projects: [{ project: 'staffed' }] } }],
    ['more than it', { cluster: 'north', scope: { ...inSpace('s'), rules: [{ cluster: 'north' }] } }],
    ['nothing', { cluster: 'north', scope: {} }],
    ['another cluster', { cluster: 'south', scope: inSpace('s') }],
    ['a cluster that is not there', { cluster: 'none', scope: inSpace('s') }],
    [
      'more spaces than are looked for',
      {
        cluster: 'north',
        scope: { spaces: Array.from({ length: 17 }, () => ({ project: 'staffed', space: 's' })) },
      },
    ],
  ])('gets none for %s', async (what, spec) => {
    const ben = await keyOf(`ben-${what.replaceAll(' ', '-')}`, { user: 'ben' });
    const answer = await ask(ben, spec);
    expect([answer.status, answer.text]).toEqual([
      403,
      expect.stringContaining('can neither get nor use it'),
    ]);
  });

  test('gets none once the membership has ended', async () => {
    const ben = await keyOf('ben-ends', { user: 'ben' });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const end = await admin.send('PATCH', `${API}/projects/staffed`, { spec: { members: [] } }, merge);
    expect(end.status).toBe(200);
    const spec = { cluster: 'north', scope: inSpace('s') };
    await eventually('the role has ended', async () => (await ask(ben, spec)).status === 403);
  });
});

describe('no token', () => {
  test.each<[object, string]>([
    [{ ttl: 59 }, 'spec.ttl'],
    [{ ttl: -1 }, 'spec.ttl'],
    [{ ttl: 7_776_001 }, 'spec.ttl'],
    [{ ttl: 1e15 }, 'spec.ttl'],
    [{ ttl: 3601, scope: WEB }, 'spec.ttl'],
    [{ scope: { projects: [{ project: 'we*' }] } }, 'spec.scope.projects[0].project'],
    [{ scope: { rules: [{ resourceNames: ['a'] }] } }, 'spec.scope.rules[0].resources'],
  ])('for %j', async (spec, field) => {
    const answer = await ask(admin, spec);
    const { details } = parsed<{ details: { causes: { field: string }[] } }>(answer);
    expect([answer.status, details.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
  });

  test.each<[object, number]>([
    [{ ttl: 'long' }, 422],
    [{ ttl: 1.5 }, 422],
    [{ scope: 'all' }, 422],
    [{ ttl: 60 }, 201],
    [{ ttl: 7_776_000 }, 201],
  ])('%j is %d', async (spec, code) => {
    expect((await ask(admin, spec)).status).toBe(code);
  });

  test('for those who are not users of this service', async () => {
    expect((await ask(client(server, VIEWER_TOKEN))).status).toBe(403);
    const bind = { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:authenticated' };
    await admin.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'everyone' },
      roleRef: { kind: 'ClusterRole', name: 'management:basic-user', apiGroup: bind.apiGroup },
      subjects: [bind],
    });
    const answer = await ask(client(server, VIEWER_TOKEN));
    expect([answer.status, answer.text]).toEqual([
      403,
      expect.stringContaining('users and teams of this service'),
    ]);
  });

  test('by PUT or PATCH', async () => {
    const path = `${API}/directclusterendpointtokens/one`;
    for (const method of ['PUT', 'PATCH']) expect((await admin.send(method, path, {})).status).toBe(405);
    expect((await admin.send('GET', `${API}/selves`)).status).toBe(405);
  });
});

describe('Self', () => {
  interface Status {
    user?: object;
    team?: object;
    subject?: string;
    accessKey?: string;
    accessKeyType?: string;
    accessKeyScope?: object;
    groups: string[];
    projectNamespacePrefix: string;
  }
  const selfOf = (by: Client, spec: object = {}): Promise<Answer> =>
    by.send('POST', `${API}/selves`, { spec });

  test('returns the user and the access key of the caller', async () => {
    const anna = await keyOf('anna-self', { user: 'anna', scope: { ...NARROW, ...WEB }, type: 'Other' });
    const answer = await selfOf(anna);
    expect(answer.status).toBe(201);
    expect(parsed(answer)).toEqual({
      kind: 'Self',
      apiVersion: 'management.svc.example/v1',
      metadata: { creationTimestamp: expect.any(String) },
      spec: {},
      status: {
        user: { name: 'anna', displayName: 'Anna', email: 'anna@example.com', teams: [] },
        accessKey: 'anna-self',
        accessKeyType: 'Other',
        accessKeyScope: { ...WEB, ...NARROW },
        groups: ['management:user:anna', 'management:authenticated', 'system:authenticated', 'devs'],
        projectNamespacePrefix: 'loft-p-',
      },
    });
    const ops = parsed<{ status: Status }>(await selfOf(await keyOf('ops-self', { team: 'ops' }))).status;
    expect([ops.team, ops.user, ops.accessKey]).toEqual([{ name: 'ops' }, undefined, 'ops-self']);
  });

  test('returns another key of the caller, by its name or the key, and no key of others', async () => {
    const one = await keyOf('anna-one', { user: 'anna' });
    const two = await keyOf('anna-two', { user: 'anna', scope: WEB });
    const bens = await keyOf('ben-self', { user: 'ben' });
    for (const accessKey of ['anna-two', two.key]) {
      const answer = await selfOf(one, { accessKey });
      expect(answer.text).not.toContain(two.key);
      expect(parsed<{ status: Status }>(answer).status).toMatchObject({
        accessKey: 'anna-two',
        accessKeyScope: WEB,
      });
    }
    for (const accessKey of ['ben-self', bens.key, 'nobody', `mk_${'x'.repeat(46)}`]) {
      const answer = await selfOf(one, { accessKey });
      expect([answer.status, answer.text.includes(accessKey)]).toEqual([422, false]);
      expect(parsed<{ message: string }>(answer).message).toContain('is not an access key of yours');
    }
    const noKeys = { rules: [{ resources: [{ group: 'management.svc.example', resources: ['selves'] }] }] };
    const narrow = await keyOf('anna-selves', { user: 'anna', scope: noKeys });
    expect((await selfOf(narrow)).status).toBe(201);
    expect((await selfOf(narrow, { accessKey: 'anna-two' })).status).toBe(422);
  });
});
