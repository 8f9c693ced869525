import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clusterScoped, type KubeObject } from '../../../../api/resource.js';
import { createObject } from '../../../registry/generic/create.js';
import { deleteObject } from '../../../registry/generic/delete.js';
import { KINDS } from '../../kinds.js';
import { openRegistry, type Registry } from '../../../registry/registry.js';
import { updateObject } from '../../../registry/generic/update.js';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import type { Storage } from '../../../storage/interface.js';
import { identityCaches } from './caches.js';
import { identitiesOf } from './identities.js';
import type { Identities } from './interface.js';

const OPTIONS = {
  requester: { name: 'test', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};

let directory: string;
let storage: Storage;
let registry: Registry;
let identities: Identities;

const storeOf = (kind: string) => {
  const store = registry.stores.find(({ definition }) => definition.kind === kind);
  if (store === undefined) throw new RangeError(kind);
  return store;
};

async function create(kind: string, name: string, spec: Record<string, unknown>): Promise<void> {
  const apiVersion = 'management.svc.example/v1';
  await createObject(storeOf(kind), '', { kind, apiVersion, metadata: { name }, spec }, OPTIONS);
}

async function change(kind: string, name: string, spec: Record<string, unknown>): Promise<void> {
  const next = (live: KubeObject): KubeObject => ({ ...structuredClone(live), spec });
  const request = { namespace: '', name, subresource: '', change: next, versionRequired: false };
  await updateObject(storeOf(kind), request, OPTIONS);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'identities-'));
  storage = await openEmbedded({ directory });
  const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
  registry = await openRegistry(storage, KINDS, () => everything);
  identities = identitiesOf(identityCaches(registry.cache));
});

afterAll(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

describe('identities', () => {
  test('follow users and teams from one write to the next', async () => {
    expect(identities.user('anna')).toBeUndefined();
    await create('User', 'anna', { groups: ['auditors'] });
    expect(identities.user('anna')).toMatchObject({
      disabled: false,
      groups: ['management:user:anna', 'management:authenticated', 'system:authenticated', 'auditors'],
      teams: [],
    });
    await create('Team', 'ops', { users: ['anna'] });
    await create('Team', 'audit', { groups: ['auditors'] });
    await create('Team', 'other', { users: ['ben'], groups: ['builders'] });
    expect(identities.user('anna')?.teams).toEqual(['audit', 'ops']);
    expect(identities.user('anna')?.groups).toContain('management:team:ops');
    expect(identities.user('anna')).toBe(identities.user('anna'));
    await change('Team', 'ops', { users: [] });
    expect(identities.user('anna')?.teams).toEqual(['audit']);
    await change('User', 'anna', { disabled: true });
    expect(identities.user('anna')).toMatchObject({ disabled: true, teams: [] });
    await deleteObject(storeOf('User'), clusterScoped('anna'), { dryRun: [] }, OPTIONS);
    expect(identities.user('anna')).toBeUndefined();
  });

  test('a team is known until it is deleted', async () => {
    await create('Team', 'short', {});
    expect(identities.team('short')?.groups).toEqual([
      'management:team:short',
      'management:authenticated',
      'system:authenticated',
    ]);
    await deleteObject(storeOf('Team'), clusterScoped('short'), { dryRun: [] }, OPTIONS);
    expect(identities.team('short')).toBeUndefined();
  });

  test('a subject is in one user, also for writes at the same moment', async () => {
    const subject = 's'.repeat(1000);
    const made = await Promise.allSettled(
      ['one', 'two', 'three'].map((name) => create('User', name, { subject })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = made.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 422 } });
    const names = ['one', 'two', 'three'];
    const [owner = ''] = names.filter((name) => identities.user(name) !== undefined);
    await change('User', owner, {});
    await create('User', 'four', { subject });
    await deleteObject(storeOf('User'), clusterScoped('four'), { dryRun: [] }, OPTIONS);
    await change('User', owner, { subject });
    await change('User', owner, { subject, displayName: 'Same' });
  });

  test.each([
    ['User', { groups: ['system:masters'] }, 'spec.groups[0]'],
    ['User', { groups: ['a', ''] }, 'spec.groups[1]'],
    ['Team', { users: ['system:admin'] }, 'spec.users[0]'],
    ['Team', { groups: ['system:authenticated'] }, 'spec.groups[0]'],
  ])('%s with %j is refused at %s', async (kind, spec, field) => {
    const refusal = create(kind, 'bad', spec);
    await expect(refusal).rejects.toMatchObject({
      code: 422,
      status: { details: { causes: [{ field }] } },
    });
  });
});
