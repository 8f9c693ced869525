/** Access keys on a running server: shown once, stored as hashes. */
import { describe, expect, test } from '@jest/globals';
import { KEYS, bodyOf, longKey, parsed, accessKeySuite } from '../../fixtures/clients/accesskeys.js';
import { client } from '../../fixtures/clients/client.js';

const SHAPE = /^mk_[0-9A-Za-z]{46}$/;

const on = accessKeySuite();

describe('the key', () => {
  test('is made by the on.server, shown once, and is of its creator', async () => {
    const created = await on.keys.createKey('made');
    const key = created.spec.key as string;
    expect(key).toMatch(SHAPE);
    expect(created.spec).toEqual({ key, type: 'User', user: 'admin' });
    expect(created.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'User', name: 'admin' }),
    ]);
    expect((await on.keys.read('made')).spec).toEqual({ type: 'User', user: 'admin' });
    for (const path of [`${KEYS}/made`, KEYS, `${KEYS}?watch=1&timeoutSeconds=1`]) {
      expect((await on.admin.send('GET', path)).text).not.toContain(key);
    }
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const shown = await on.admin.send('GET', `${KEYS}/made`, undefined, table);
    expect(shown.text).not.toContain(key);
    expect(
      parsed<{ columnDefinitions: { name: string }[] }>(shown).columnDefinitions.map(({ name }) => name),
    ).toEqual([
      'Name',
      'Display Name',
      'User',
      'Team',
      'Project',
      'Type',
      'Scoped',
      'Expires',
      'Last Activity',
      'Age',
      'Role',
      'Disabled',
    ]);
    expect(await on.keys.whoIs(key)).toEqual([
      'admin',
      'management:user:admin',
      'management:authenticated',
      'system:authenticated',
      'management:admins',
    ]);
    expect((await client(on.server, key).send('GET', '/api/v1/namespaces')).status).toBe(200);
  });

  test('keeps its owner in a PUT that leaves the owner out', async () => {
    const { metadata } = await on.keys.createKey('unnamed');
    const put = await on.admin.send('PUT', `${KEYS}/unnamed`, {
      ...bodyOf('OwnedAccessKey', 'unnamed', { disabled: true }),
      metadata: { name: 'unnamed', resourceVersion: metadata.resourceVersion },
    });
    const { spec, metadata: after } = parsed(put);
    expect([put.status, spec]).toEqual([200, { type: 'User', user: 'admin', disabled: true }]);
    expect([after.ownerReferences, after.annotations]).toEqual([metadata.ownerReferences, undefined]);
  });

  test('that a client gives has at least 32 characters and is unique', async () => {
    const given = longKey('g');
    expect((await on.keys.createKey('given', { key: given })).spec.key).toBe(given);
    const second = await on.admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'second', { key: given }));
    expect([second.status, parsed<{ message: string }>(second).message]).toEqual([
      422,
      'OwnedAccessKey.management.svc.example "second" is invalid: spec.key: Duplicate value: "<hidden>"',
    ]);
    const bad = ['short', 'x'.repeat(31), `${'x'.repeat(40)} y`, `"${'x'.repeat(40)}`, 'x'.repeat(1025)];
    for (const key of bad) {
      const answer = await on.admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'bad', { key }));
      expect([answer.status, answer.text.includes(key)]).toEqual([422, false]);
    }
    expect((await on.admin.send('GET', `${KEYS}/bad`)).status).toBe(404);
    await on.admin.send('DELETE', `${KEYS}/given`);
    expect(await on.keys.whoIs(given)).toEqual([401, 'Unauthorized']);
    expect((await on.keys.createKey('again', { key: given })).spec.key).toBe(given);
  });

  test('stays where a write leaves it out or repeats it, and is replaced by another', async () => {
    const first = (await on.keys.createKey('kept', { key: longKey('a') })).spec.key as string;
    const path = `${KEYS}/kept`;
    const before = await on.keys.read('kept');
    const put = parsed(await on.admin.send('PUT', path, before));
    expect([put.metadata.resourceVersion, put.spec.key]).toEqual([
      before.metadata.resourceVersion,
      undefined,
    ]);
    const repeated = await on.admin.send('PUT', path, { ...before, spec: { ...before.spec, key: first } });
    expect(parsed(repeated).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(parsed(repeated).spec.key).toBeUndefined();

    const renamed = { ...before, spec: { ...before.spec, displayName: 'x' } };
    expect(parsed(await on.admin.send('PUT', path, renamed)).spec.key).toBeUndefined();
    expect(await on.keys.whoIs(first)).toContain('management:user:admin');

    const steps: [string, string, unknown][] = [
      ['b', 'application/merge-patch+json', { spec: { key: longKey('b') } }],
      ['c', 'application/json-patch+json', [{ op: 'add', path: '/spec/key', value: longKey('c') }]],
    ];
    let last = first;
    for (const [letter, type, patch] of steps) {
      on.keys.planted.push(longKey(letter));
      const { generation } = (await on.keys.read('kept')).metadata;
      const rotated = parsed(await on.admin.send('PATCH', path, patch, { 'content-type': type }));
      expect([rotated.spec.key, rotated.metadata.generation]).toEqual([longKey(letter), generation + 1]);
      expect(await on.keys.whoIs(last)).toEqual([401, 'Unauthorized']);
      expect(await on.keys.whoIs(longKey(letter))).toContain('management:user:admin');
      last = longKey(letter);
      const again = parsed(await on.admin.send('PATCH', path, patch, { 'content-type': type }));
      expect([again.spec.key, again.metadata.generation]).toEqual([undefined, generation + 1]);
    }
    expect((await on.keys.read('kept')).spec.key).toBeUndefined();
  });

  test('is applied, owned without a value, and stays when it is given up', async () => {
    const path = `${KEYS}/applied?fieldManager=m`;
    const type = { 'content-type': 'application/apply-patch+yaml' };
    const key = longKey('d');
    on.keys.planted.push(key);
    const config = bodyOf('OwnedAccessKey', 'applied', { key, displayName: 'one' });
    const created = await on.admin.send('PATCH', path, config, type);
    expect([created.status, parsed(created).spec.key]).toEqual([201, key]);
    const { metadata } = await on.keys.read('applied');
    const owned = metadata.managedFields?.find(({ manager }) => manager === 'm');
    expect(owned?.fieldsV1['f:spec']).toEqual({ 'f:displayName': {}, 'f:key': {} });
    const again = parsed(await on.admin.send('PATCH', path, config, type));
    expect([again.metadata.resourceVersion, again.spec.key]).toEqual([metadata.resourceVersion, undefined]);

    const other = await on.admin.send('PATCH', `${KEYS}/applied?fieldManager=n`, config, type);
    expect([other.status, parsed(other).spec.key]).toEqual([200, undefined]);
    const stolen = bodyOf('OwnedAccessKey', 'applied', { key: longKey('e'), displayName: 'one' });
    expect((await on.admin.send('PATCH', `${KEYS}/applied?fieldManager=n`, stolen, type)).status).toBe(409);

    const without = bodyOf('OwnedAccessKey', 'applied', { displayName: 'one' });
    expect((await on.admin.send('PATCH', path, without, type)).status).toBe(200);
    expect(await on.keys.whoIs(key)).toContain('management:user:admin');
  });

  test('is cut out of what kubectl remembers to have applied, and connector data is never shown', async () => {
    const key = longKey('f');
    const body = bodyOf('OwnedAccessKey', 'annotated', {
      key,
      identity: { userId: 'u', ConnectorData: 'planted-connector-data' },
    }) as { metadata: object };
    on.keys.planted.push('planted-connector-data');
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const annotations = { [annotation]: JSON.stringify(body) };
    const sent = { ...body, metadata: { ...body.metadata, annotations } };
    on.keys.planted.push(key);
    const created = parsed(await on.admin.send('POST', KEYS, sent));
    expect(created.spec).toEqual({ key, identity: { userId: 'u' }, type: 'User', user: 'admin' });
    const text = (await on.keys.read('annotated')).metadata.annotations?.[annotation] ?? '';
    expect(JSON.parse(text)).toMatchObject({ spec: { identity: { userId: 'u' } } });
    expect(text).not.toContain(key);
    expect(text).not.toContain('planted-connector-data');
  });

  test('is not shown by a dry run that makes it, and not changed by one', async () => {
    const dry = await on.admin.send('POST', `${KEYS}?dryRun=All`, bodyOf('OwnedAccessKey', 'dry'));
    expect([dry.status, parsed(dry).spec.key]).toEqual([201, undefined]);
    expect((await on.admin.send('GET', `${KEYS}/dry`)).status).toBe(404);
    const key = (await on.keys.createKey('undry')).spec.key as string;
    const patch = { spec: { key: longKey('h') } };
    const type = { 'content-type': 'application/merge-patch+json' };
    expect((await on.admin.send('PATCH', `${KEYS}/undry?dryRun=All`, patch, type)).status).toBe(200);
    expect(await on.keys.whoIs(longKey('h'))).toEqual([401, 'Unauthorized']);
    expect(await on.keys.whoIs(key)).toContain('management:user:admin');
  });
});

describe('a create is refused for', () => {
  test.each([
    ['ttl below 0', { ttl: -1 }, 'spec.ttl'],
    ['ttl beyond a hundred years', { ttl: 1e12 }, 'spec.ttl'],
    ['an unknown type', { type: 'Root' }, 'spec.type'],
    ['a user and a team', { user: 'a', team: 'b' }, 'spec.team'],
    ['a user of Kubernetes', { user: 'system:admin' }, 'spec.user'],
    ['a group of Kubernetes', { groups: ['system:masters'] }, 'spec.groups[0]'],
  ])('%s', async (_what, spec, field) => {
    const answer = await on.admin.send('POST', KEYS, bodyOf('OwnedAccessKey', 'refused', spec));
    const { details } = parsed<{ details: { causes: { field: string }[] } }>(answer);
    expect([answer.status, details.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
  });

  test('a key without a name', async () => {
    expect(
      (await on.admin.send('POST', KEYS, { ...bodyOf('OwnedAccessKey', ''), metadata: {} })).status,
    ).toBe(422);
  });
});

test('keys are nowhere: not in events, the log, or the files of the store', () =>
  on.keys.expectNowhere(['planted-connector-data']));
