/** Access keys on a running server: the owner of a key, and the rights of requests with it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  API,
  KEYS,
  bodyOf,
  longKey,
  parsed,
  accessKeySuite,
  type Key,
} from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';

const on = accessKeySuite();

describe('users without rights', () => {
  let dora: Client;
  beforeAll(async () => {
    await on.keys.createUser('dora');
    await on.keys.createUser('emil');
    await on.keys.createKey('emils', { user: 'emil' });
    dora = client(on.server, (await on.keys.createKey('doras', { user: 'dora' })).spec.key as string);
  });

  test('make, see and change keys of their own', async () => {
    const own = await on.keys.createKey('own', { displayName: 'mine' }, dora);
    expect(own.spec).toMatchObject({ user: 'dora' });
    expect((await dora.send('GET', `${KEYS}/own`)).status).toBe(200);
    const type = { 'content-type': 'application/merge-patch+json' };
    on.keys.planted.push(longKey('i'));
    expect((await dora.send('PATCH', `${KEYS}/own`, { spec: { key: longKey('i') } }, type)).status).toBe(200);
    expect(await on.keys.whoIs(longKey('i'))).toContain('management:user:dora');
    expect((await dora.send('DELETE', `${KEYS}/own`)).status).toBe(200);
  });

  test('list keys of their own', async () => {
    const { status, text } = await dora.send('GET', KEYS);
    const { items } = JSON.parse(text) as { items: Key[] };
    expect([status, items.map(({ metadata }) => metadata.name)]).toEqual([200, ['doras']]);
  });

  test('with a key of their team, theirs are the keys of the team', async () => {
    await on.admin.send('POST', `${API}/teams`, bodyOf('Team', 'crew'));
    const crew = client(on.server, (await on.keys.createKey('crews', { team: 'crew' })).spec.key as string);
    expect((await on.keys.createKey('crews-other', {}, crew)).spec).toMatchObject({ team: 'crew' });
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
      await on.admin.send('POST', '/api/v1/namespaces', {
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: { name },
      });
    const scoped = async (name: string, scope: object) =>
      client(on.server, (await on.keys.createKey(name, { scope })).spec.key as string);
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
    const nothing = client(
      on.server,
      (await on.keys.createKey('nothing-scoped', { scope: {} })).spec.key as string,
    );
    expect((await nothing.send('GET', '/version')).status).toBe(403);
  });

  test('is kept by the keys that are made with it, and by tokens', async () => {
    const rules = [
      { verbs: ['*'], resources: [{ group: 'management.svc.example' }, { group: '', resources: ['*'] }] },
    ];
    const key = (await on.keys.createKey('maker', { scope: { rules } })).spec.key as string;
    const maker = client(on.server, key);
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
    const reviewed = await on.admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
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
    const answer = await on.admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'refused', { scope }));
    const { details } = parsed<{ details: { causes: { field: string }[] } }>(answer);
    expect([answer.status, details.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
  });
});

test('keys are nowhere: not in events, the log, or the files of the store', () => on.keys.expectNowhere());
