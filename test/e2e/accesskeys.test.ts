/** Access keys on the running server: shown once, kept as hashes, in force and out of it from one request to the next. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../fixtures/client.js';
import { client, eventsOf } from '../fixtures/client.js';
import type { Answer, ServerFixture } from '../fixtures/server.js';
import { startServer } from '../fixtures/server.js';

const API = '/apis/management.svc.example/v1';
const KEYS = `${API}/ownedaccesskeys`;
const SHAPE = /^mk_[0-9A-Za-z]{46}$/;

interface Key {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    generation: number;
    resourceVersion: string;
    annotations?: Record<string, string>;
    managedFields?: { manager: string; fieldsV1: { 'f:spec'?: Record<string, unknown> } }[];
    ownerReferences?: { kind: string; name: string }[];
  };
  spec: Record<string, unknown>;
  status?: { lastActivity?: string };
}

let server: ServerFixture;
let admin: Client;
/** Every key that was ever in force: none may be found anywhere afterwards. */
const planted: string[] = [];

beforeAll(async () => {
  server = await startServer({ flags: ['--v=4'] });
  admin = client(server);
}, 60_000);
afterAll(() => server.remove());

const parsed = <T = Key>(answer: Answer): T => JSON.parse(answer.text) as T;
const bodyOf = (kind: string, name: string, spec: object = {}): object => ({
  apiVersion: 'management.svc.example/v1',
  kind,
  metadata: { name },
  spec,
});

async function createKey(name: string, spec: object = {}, by = admin): Promise<Key> {
  const answer = await by.send('POST', KEYS, bodyOf('OwnedAccessKey', name, spec));
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  const key = parsed(answer);
  planted.push(key.spec.key as string);
  return key;
}

async function createUser(name: string, spec: object = {}): Promise<void> {
  expect((await admin.send('POST', `${API}/users`, bodyOf('User', name, spec))).status).toBe(201);
}

async function read(name: string): Promise<Key> {
  return parsed(await admin.send('GET', `${KEYS}/${name}`));
}

/** Who the bearer of a token is: the name and the groups, or the code and the message. */
async function whoIs(token: string): Promise<unknown> {
  const answer = await client(server, token).send(
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    {
      kind: 'SelfSubjectReview',
      apiVersion: 'authentication.k8s.io/v1',
    },
  );
  if (answer.status !== 201) return [answer.status, parsed<{ message: string }>(answer).message];
  const { userInfo } = parsed<{ status: { userInfo: { username: string; groups: string[] } } }>(
    answer,
  ).status;
  return [userInfo.username, ...userInfo.groups];
}

const longKey = (letter: string): string => `${letter}-${letter.repeat(40)}`;

describe('the key', () => {
  test('is made by the server, shown once, and is of its creator', async () => {
    const created = await createKey('made');
    const key = created.spec.key as string;
    expect(key).toMatch(SHAPE);
    expect(created.spec).toEqual({ key, type: 'User', user: 'admin' });
    expect(created.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'User', name: 'admin' }),
    ]);
    expect((await read('made')).spec).toEqual({ type: 'User', user: 'admin' });
    for (const path of [`${KEYS}/made`, KEYS, `${KEYS}?watch=1&timeoutSeconds=1`]) {
      expect((await admin.send('GET', path)).text).not.toContain(key);
    }
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const shown = await admin.send('GET', `${KEYS}/made`, undefined, table);
    expect(shown.text).not.toContain(key);
    expect(
      parsed<{ columnDefinitions: { name: string }[] }>(shown).columnDefinitions.map(({ name }) => name),
    ).toEqual([
      'Name',
      'Display Name',
      'User',
      'Team',
      'Type',
      'Scoped',
      'Expires',
      'Last Activity',
      'Age',
      'Disabled',
    ]);
    expect(await whoIs(key)).toEqual([
      'admin',
      'management:user:admin',
      'management:authenticated',
      'system:authenticated',
      'management:admins',
    ]);
    expect((await client(server, key).send('GET', '/api/v1/namespaces')).status).toBe(200);
  });

  test('that is given is of 32 characters at least, and of no other', async () => {
    const given = longKey('g');
    expect((await createKey('given', { key: given })).spec.key).toBe(given);
    const second = await admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'second', { key: given }));
    expect([second.status, parsed<{ message: string }>(second).message]).toEqual([
      422,
      'OwnedAccessKey.management.svc.example "second" is invalid: spec.key: Duplicate value: "<hidden>"',
    ]);
    const bad = ['short', 'x'.repeat(31), `${'x'.repeat(40)} y`, `"${'x'.repeat(40)}`, 'x'.repeat(1025)];
    for (const key of bad) {
      const answer = await admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'bad', { key }));
      expect([answer.status, answer.text.includes(key)]).toEqual([422, false]);
    }
    expect((await admin.send('GET', `${KEYS}/bad`)).status).toBe(404);
    await admin.send('DELETE', `${KEYS}/given`);
    expect(await whoIs(given)).toEqual([401, 'Unauthorized']);
    expect((await createKey('again', { key: given })).spec.key).toBe(given);
  });

  test('stays where a write leaves it out or repeats it, and is replaced by another', async () => {
    const first = (await createKey('kept', { key: longKey('a') })).spec.key as string;
    const path = `${KEYS}/kept`;
    const before = await read('kept');
    const put = parsed(await admin.send('PUT', path, before));
    expect([put.metadata.resourceVersion, put.spec.key]).toEqual([
      before.metadata.resourceVersion,
      undefined,
    ]);
    const repeated = await admin.send('PUT', path, { ...before, spec: { ...before.spec, key: first } });
    expect(parsed(repeated).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(parsed(repeated).spec.key).toBeUndefined();

    const renamed = { ...before, spec: { ...before.spec, displayName: 'x' } };
    expect(parsed(await admin.send('PUT', path, renamed)).spec.key).toBeUndefined();
    expect(await whoIs(first)).toContain('management:user:admin');

    const steps: [string, string, unknown][] = [
      ['b', 'application/merge-patch+json', { spec: { key: longKey('b') } }],
      ['c', 'application/json-patch+json', [{ op: 'add', path: '/spec/key', value: longKey('c') }]],
    ];
    let last = first;
    for (const [letter, type, patch] of steps) {
      planted.push(longKey(letter));
      const { generation } = (await read('kept')).metadata;
      const rotated = parsed(await admin.send('PATCH', path, patch, { 'content-type': type }));
      expect([rotated.spec.key, rotated.metadata.generation]).toEqual([longKey(letter), generation + 1]);
      expect(await whoIs(last)).toEqual([401, 'Unauthorized']);
      expect(await whoIs(longKey(letter))).toContain('management:user:admin');
      last = longKey(letter);
      const again = parsed(await admin.send('PATCH', path, patch, { 'content-type': type }));
      expect([again.spec.key, again.metadata.generation]).toEqual([undefined, generation + 1]);
    }
    expect((await read('kept')).spec.key).toBeUndefined();
  });

  test('is applied, owned without a value, and stays when it is given up', async () => {
    const path = `${KEYS}/applied?fieldManager=m`;
    const type = { 'content-type': 'application/apply-patch+yaml' };
    const key = longKey('d');
    planted.push(key);
    const config = bodyOf('OwnedAccessKey', 'applied', { key, displayName: 'one' });
    const created = await admin.send('PATCH', path, config, type);
    expect([created.status, parsed(created).spec.key]).toEqual([201, key]);
    const { metadata } = await read('applied');
    const owned = metadata.managedFields?.find(({ manager }) => manager === 'm');
    expect(owned?.fieldsV1['f:spec']).toEqual({ 'f:displayName': {}, 'f:key': {} });
    const again = parsed(await admin.send('PATCH', path, config, type));
    expect([again.metadata.resourceVersion, again.spec.key]).toEqual([metadata.resourceVersion, undefined]);

    const other = await admin.send('PATCH', `${KEYS}/applied?fieldManager=n`, config, type);
    expect([other.status, parsed(other).spec.key]).toEqual([200, undefined]);
    const stolen = bodyOf('OwnedAccessKey', 'applied', { key: longKey('e'), displayName: 'one' });
    expect((await admin.send('PATCH', `${KEYS}/applied?fieldManager=n`, stolen, type)).status).toBe(409);

    const without = bodyOf('OwnedAccessKey', 'applied', { displayName: 'one' });
    expect((await admin.send('PATCH', path, without, type)).status).toBe(200);
    expect(await whoIs(key)).toContain('management:user:admin');
  });

  test('is cut out of what kubectl remembers to have applied, and connector data is never shown', async () => {
    const key = longKey('f');
    const body = bodyOf('OwnedAccessKey', 'annotated', {
      key,
      identity: { userId: 'u', ConnectorData: 'planted-connector-data' },
    }) as { metadata: object };
    planted.push('planted-connector-data');
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const annotations = { [annotation]: JSON.stringify(body) };
    const sent = { ...body, metadata: { ...body.metadata, annotations } };
    planted.push(key);
    const created = parsed(await admin.send('POST', KEYS, sent));
    expect(created.spec).toEqual({ key, identity: { userId: 'u' }, type: 'User', user: 'admin' });
    const text = (await read('annotated')).metadata.annotations?.[annotation] ?? '';
    expect(JSON.parse(text)).toMatchObject({ spec: { identity: { userId: 'u' } } });
    expect(text).not.toContain(key);
    expect(text).not.toContain('planted-connector-data');
  });

  test('is not shown by a dry run that makes it, and not changed by one', async () => {
    const dry = await admin.send('POST', `${KEYS}?dryRun=All`, bodyOf('OwnedAccessKey', 'dry'));
    expect([dry.status, parsed(dry).spec.key]).toEqual([201, undefined]);
    expect((await admin.send('GET', `${KEYS}/dry`)).status).toBe(404);
    const key = (await createKey('undry')).spec.key as string;
    const patch = { spec: { key: longKey('h') } };
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await admin.send('PATCH', `${KEYS}/undry?dryRun=All`, patch, type)).status).toBe(200);
    expect(await whoIs(longKey('h'))).toEqual([401, 'Unauthorized']);
    expect(await whoIs(key)).toContain('management:user:admin');
  });
});

describe('what is refused', () => {
  test.each([
    ['ttl below 0', { ttl: -1 }, 'spec.ttl'],
    ['ttl beyond a hundred years', { ttl: 1e12 }, 'spec.ttl'],
    ['an unknown type', { type: 'Root' }, 'spec.type'],
    ['a user and a team', { user: 'a', team: 'b' }, 'spec.team'],
    ['a user of Kubernetes', { user: 'system:admin' }, 'spec.user'],
    ['a group of Kubernetes', { groups: ['system:masters'] }, 'spec.groups[0]'],
  ])('%s', async (_what, spec, field) => {
    const answer = await admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'refused', spec));
    const { details } = parsed<{ details: { causes: { field: string }[] } }>(answer);
    expect([answer.status, details.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
  });

  test('a key without a name', async () => {
    expect((await admin.send('POST', KEYS, { ...bodyOf('OwnedAccessKey', ''), metadata: {} })).status).toBe(
      422,
    );
  });
});

describe('a key authenticates', () => {
  test('until it is disabled, expired or deleted', async () => {
    const key = (await createKey('ending')).spec.key as string;
    const patch = (spec: object) =>
      admin.send('PATCH', `${KEYS}/ending`, { spec }, { 'content-type': 'application/merge-patch+json' });
    await patch({ disabled: true });
    expect(await whoIs(key)).toEqual([401, 'access key disabled']);
    await patch({ disabled: false });
    expect(await whoIs(key)).toContain('management:user:admin');
    await patch({ ttl: 1 });
    await sleep(1_100);
    expect(await whoIs(key)).toEqual([401, 'access key expired']);
    await patch({ ttl: 0, type: 'Reset' });
    expect(await whoIs(key)).toEqual([401, 'Unauthorized']);
    await patch({ type: 'Other' });
    expect(await whoIs(key)).toContain('management:user:admin');
    await admin.send('DELETE', `${KEYS}/ending`);
    expect(await whoIs(key)).toEqual([401, 'access key not found']);
    expect(await whoIs('some-token')).toEqual([401, 'Unauthorized']);
  });

  test('for as long as it is used, where it ends after its last activity', async () => {
    const key = (await createKey('active', { ttl: 4, ttlAfterLastActivity: true })).spec.key as string;
    for (let use = 0; use < 6; use += 1) {
      await sleep(900);
      expect(await whoIs(key)).toContain('management:user:admin');
    }
    const until = Date.now() + 10_000;
    while ((await read('active')).status?.lastActivity === undefined && Date.now() < until) await sleep(200);
    const { status, metadata } = await read('active');
    expect(Date.parse(status?.lastActivity ?? '')).toBeGreaterThan(0);
    expect(metadata.generation).toBe(1);
    await sleep(4_100);
    expect(await whoIs(key)).toEqual([401, 'access key expired']);
  }, 30_000);

  test('while its user is there, is the same, and is not disabled', async () => {
    await createUser('carla');
    const key = (await createKey('carlas', { user: 'carla', groups: ['extra'] })).spec.key as string;
    const carla = [
      'carla',
      'management:user:carla',
      'management:authenticated',
      'system:authenticated',
      'extra',
    ];
    expect(await whoIs(key)).toEqual(carla);
    const disable = (disabled: boolean) =>
      admin.send(
        'PATCH',
        `${API}/users/carla`,
        { spec: { disabled } },
        { 'content-type': 'application/merge-patch+json' },
      );
    await disable(true);
    expect(await whoIs(key)).toEqual([401, 'Unauthorized']);
    await disable(false);
    expect(await whoIs(key)).toEqual(carla);
    await admin.send('DELETE', `${API}/users/carla`);
    // Whether the key itself has been collected by then does not matter.
    expect(await whoIs(key)).toEqual([401, expect.anything()]);
    await createUser('carla');
    expect(await whoIs(key)).toEqual([401, expect.anything()]);
  });

  test('as a team, and as a subject', async () => {
    await admin.send('POST', `${API}/teams`, bodyOf('Team', 'ops'));
    const team = (await createKey('ops', { team: 'ops' })).spec.key as string;
    expect(await whoIs(team)).toEqual([
      'management:team:ops',
      'management:team:ops',
      'management:authenticated',
      'system:authenticated',
    ]);
    const subject = (await createKey('robot', { subject: 'robot' })).spec.key as string;
    expect(await whoIs(subject)).toEqual(['robot', 'management:authenticated', 'system:authenticated']);
  });
});

describe('users without rights', () => {
  let dora: Client;
  beforeAll(async () => {
    await createUser('dora');
    await createUser('emil');
    await createKey('emils', { user: 'emil' });
    dora = client(server, (await createKey('doras', { user: 'dora' })).spec.key as string);
  });

  test('make, see and change keys of their own', async () => {
    const own = await createKey('own', { displayName: 'mine' }, dora);
    expect(own.spec).toMatchObject({ user: 'dora' });
    expect((await dora.send('GET', `${KEYS}/own`)).status).toBe(200);
    const type = { 'content-type': 'application/merge-patch+json' };
    planted.push(longKey('i'));
    expect((await dora.send('PATCH', `${KEYS}/own`, { spec: { key: longKey('i') } }, type)).status).toBe(200);
    expect(await whoIs(longKey('i'))).toContain('management:user:dora');
    expect((await dora.send('DELETE', `${KEYS}/own`)).status).toBe(200);
  });

  test('list keys of their own', async () => {
    const { status, text } = await dora.send('GET', KEYS);
    const { items } = JSON.parse(text) as { items: Key[] };
    expect([status, items.map(({ metadata }) => metadata.name)]).toEqual([200, ['doras']]);
  });

  test('with a key of their team, theirs are the keys of the team', async () => {
    await admin.send('POST', `${API}/teams`, bodyOf('Team', 'crew'));
    const crew = client(server, (await createKey('crews', { team: 'crew' })).spec.key as string);
    expect((await createKey('crews-other', {}, crew)).spec).toMatchObject({ team: 'crew' });
    const { items } = JSON.parse((await crew.send('GET', KEYS)).text) as { items: Key[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['crews', 'crews-other']);
    expect((await dora.send('GET', `${KEYS}/crews-other`)).status).toBe(403);
    expect((await crew.send('GET', `${KEYS}/emils`)).status).toBe(403);
    expect((await crew.send('DELETE', `${KEYS}/crews-other`)).status).toBe(200);
  });

  test.each([
    ['POST', '', { user: 'emil' }],
    ['POST', '', { subject: 'emil' }],
    ['POST', '', { team: 'ops' }],
    ['POST', '', { groups: ['management:admins'] }],
    ['PATCH', '/doras', { user: 'emil' }],
    ['PATCH', '/doras', { groups: ['management:admins'] }],
    ['PATCH', '/emils', { key: longKey('z') }],
    ['PATCH', '/emils', { displayName: 'x' }],
    ['GET', '/emils', undefined],
    ['DELETE', '/emils', undefined],
  ])('are refused %s %s %j', async (method, path, spec) => {
    const body = method === 'POST' ? bodyOf('OwnedAccessKey', 'attack', spec) : spec && { spec };
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await dora.send(method, `${KEYS}${path}`, body, { 'content-type': type });
    expect(answer.status).toBe(403);
  });
});

describe('a scope', () => {
  let project: Client;
  let reader: Client;
  beforeAll(async () => {
    for (const name of ['loft-p-web', 'loft-p-shop'])
      await admin.send('POST', '/api/v1/namespaces', {
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: { name },
      });
    const scoped = async (name: string, scope: object) =>
      client(server, (await createKey(name, { scope })).spec.key as string);
    project = await scoped('project-scoped', { projects: [{ project: 'web' }] });
    reader = await scoped('cli-scoped', { allowPlatformCli: true });
  });

  test('narrows what its owner may do', async () => {
    const secrets = (namespace: string) => `${API}/namespaces/${namespace}/sharedsecrets`;
    expect((await project.send('GET', secrets('loft-p-web'))).status).toBe(200);
    const denied = await project.send('GET', secrets('loft-p-shop'));
    expect([denied.status, denied.text.includes('denied by access key scope')]).toEqual([403, true]);
    expect((await project.send('GET', '/version')).status).toBe(403);
    expect((await reader.send('GET', '/version')).status).toBe(200);
    expect((await reader.send('GET', secrets('loft-p-web'))).status).toBe(403);
    const asAdmin = { 'impersonate-user': 'root', 'impersonate-group': 'system:masters' };
    expect((await project.send('GET', secrets('loft-p-shop'), undefined, asAdmin)).status).toBe(403);
    const nothing = client(server, (await createKey('nothing-scoped', { scope: {} })).spec.key as string);
    expect((await nothing.send('GET', '/version')).status).toBe(403);
  });

  test('is kept by the keys that are made with it, and by tokens', async () => {
    const rules = [
      { verbs: ['*'], resources: [{ group: 'management.svc.example' }, { group: '', resources: ['*'] }] },
    ];
    const key = (await createKey('maker', { scope: { rules } })).spec.key as string;
    const maker = client(server, key);
    expect((await maker.send('POST', KEYS, bodyOf('OwnedAccessKey', 'wider'))).status).toBe(403);
    expect(
      (await maker.send('POST', KEYS, bodyOf('OwnedAccessKey', 'same', { scope: { rules } }))).status,
    ).toBe(201);
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await maker.send('PATCH', `${KEYS}/maker`, { spec: { scope: null } }, type)).status).toBe(403);
    const token = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
    expect((await maker.send('POST', path, token)).status).toBe(403);
    const review = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token: key } };
    const reviewed = await admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(parsed<{ status: object }>(reviewed).status).toMatchObject({
      error: 'the access key has a scope',
    });
  });

  test.each([
    [{ projects: [{ project: 'a*' }] }, 'spec.scope.projects[0].project'],
    [{ spaces: [{ project: 'p' }] }, 'spec.scope.spaces[0].space'],
    [
      { virtualClusters: [{ project: '*', virtualCluster: '*x' }] },
      'spec.scope.virtualClusters[0].virtualCluster',
    ],
    [{ rules: [{ resourceNames: ['a'] }] }, 'spec.scope.rules[0].resources'],
    [
      { rules: [{ resources: [{ resources: ['*/scale', 'pods', 'pods/scale'] }] }] },
      'spec.scope.rules[0].resources[0].resources[0]',
    ],
    [{ rules: [{ resources: [{ resources: ['po*'] }] }] }, 'spec.scope.rules[0].resources[0].resources[0]'],
    [{ rules: [{ nonResourceURLs: ['/a/*/b'] }] }, 'spec.scope.rules[0].nonResourceURLs[0]'],
    [{ rules: [{ nonResourceURLs: ['/a/b*'] }] }, 'spec.scope.rules[0].nonResourceURLs[0]'],
    [{ rules: [{ requestTargets: ['Moon'] }] }, 'spec.scope.rules[0].requestTargets[0]'],
  ])('%j is refused at %s', async (scope, field) => {
    const answer = await admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'refused', { scope }));
    const { details } = parsed<{ details: { causes: { field: string }[] } }>(answer);
    expect([answer.status, details.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
  });
});

test('keys are nowhere: not in events, the log, or the files of the store', async () => {
  const { text } = await admin.send('GET', KEYS);
  const { resourceVersion } = parsed<{ metadata: { resourceVersion: string } }>(
    await admin.send('GET', KEYS),
  ).metadata;
  const events = await eventsOf(
    admin,
    `${KEYS}?watch=1&resourceVersion=${Math.max(64, Number(resourceVersion) - 100)}&timeoutSeconds=1`,
    1000,
  );
  const metrics = await admin.send('GET', '/metrics');
  const data = join(server.directory, 'data');
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name)));
  expect(files.length).toBeGreaterThan(0);
  expect(events.length).toBeGreaterThan(0);
  const keys = planted.filter((value) => value !== 'planted-connector-data');
  expect(keys.length).toBeGreaterThan(10);
  for (const value of planted) {
    expect(
      [text, JSON.stringify(events), server.log(), metrics.text].filter((one) => one.includes(value)),
    ).toEqual([]);
  }
  for (const key of keys) expect(files.filter((bytes) => bytes.includes(key))).toEqual([]);
});
