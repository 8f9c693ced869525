import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import type { Attributes } from '../../apimachinery/attributes.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import { createObject } from '../../registry/generic/create.js';
import { deleteObject } from '../../registry/generic/delete.js';
import { loopbackOptions } from '../../registry/loopback.js';
import { openRegistry, type Registry } from '../../registry/registry.js';
import { readStored, servedStore, type ResourceStore } from '../../registry/resourcestore.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { Accounts, type AccountParts } from '../login/account.js';
import { LoginFailure, type LoginIdentity } from '../login/interface.js';
import { createSeal } from '../login/sealedcookie.js';
import type { People } from '../standingrights/standing.js';
import { inviterOf } from './creator.js';
import { INVITATION_EXPIRY } from './expiry.js';
import { createFirstKey } from './firstkey.js';
import { Invitations } from './invitations.js';
import { invitationCode } from './link.js';

const API_VERSION = 'management.svc.example/v1';
const HOUR = 3_600_000;
const OPEN = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };

let directory: string;
let storage: Storage;
let registry: Registry;
let now: number;
let asked: string[];
let refused: string[];
const seal = createSeal(createSecretKey(Buffer.alloc(32, 1)), () => now);

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'invitations-'));
  storage = await openEmbedded({ directory });
  const kinds = [User, Invitation, OwnedAccessKey].map((definition) => ({ definition }));
  registry = await openRegistry(storage, kinds, () => OPEN);
  now = Date.parse('2026-01-01T00:00:00Z');
  [asked, refused] = [[], []];
});
afterEach(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

interface Planted extends Pick<KubeObject, 'kind' | 'metadata'> {
  readonly spec?: object;
  readonly status?: object;
}

async function stored(store: ResourceStore, object: Planted): Promise<KubeObject> {
  const options = loopbackOptions('test');
  const { bytes } = await createObject(store, '', { apiVersion: API_VERSION, ...object }, options);
  return parseStored<KubeObject>(bytes);
}

const opened = (): Invitations =>
  new Invitations({
    invitations: servedStore(registry.stores, Invitation),
    users: servedStore(registry.stores, User),
    authorizer: {
      authorize(_user, attributes: Attributes) {
        const what = attributes.kind === 'resource' ? `${attributes.verb} ${attributes.resource}` : '';
        asked.push(what);
        return Promise.resolve({ allowed: !refused.includes(what), reason: '' });
      },
    },
    people: {
      identities: { user: () => undefined, team: () => undefined },
      accessKey: () => undefined,
      project: () => undefined,
    },
    seal,
    now: () => now,
  });

/** The code of an invitation of `ada` for an hour, and its record. */
async function invite(spec: object = {}): Promise<{ code: string; record: KubeObject }> {
  const user = await stored(servedStore(registry.stores, User), { kind: 'User', metadata: { name: 'ada' } });
  const { uid = '' } = user.metadata;
  const owner = { apiVersion: API_VERSION, kind: 'User', name: 'ada', uid };
  const expirationTimestamp = new Date(now + HOUR).toISOString();
  const record = await stored(servedStore(registry.stores, Invitation), {
    kind: 'Invitation',
    metadata: { name: 'ada', ownerReferences: [owner] },
    spec,
    status: { expirationTimestamp, invitedBy: { user: 'boss', time: expirationTimestamp } },
  });
  const code = invitationCode(seal, { name: 'ada', uid: record.metadata.uid ?? '' }, 24 * HOUR);
  return { code, record };
}

test('is open for its time, and asks for the rights of its creator each time', async () => {
  const { code } = await invite({ accessKeyTTL: 300 });
  expect(await opened().open(code)).toMatchObject({ invitedBy: 'boss', keySeconds: 300 });
  expect(asked).toEqual(['create invitations', 'impersonate users', 'create ownedaccesskeys']);
  now += HOUR - 1;
  expect(await opened().open(code)).toMatchObject({ invitedBy: 'boss' });
  now += 1;
  expect(await opened().open(code)).toBeUndefined();
});

test.each(['create invitations', 'impersonate users', 'create ownedaccesskeys'])(
  'is over without the right to %s',
  async (right) => {
    const { code } = await invite({ accessKeyTTL: 300 });
    refused.push(right);
    expect(await opened().open(code)).toBeUndefined();
  },
);

test('is used once, also by several servers at the same moment', async () => {
  const { code } = await invite();
  const invited = await opened().open(code);
  if (invited === undefined) throw new Error('it is over');
  const used = await Promise.all(Array.from({ length: 10 }, () => opened().use(invited)));
  expect(used.filter(Boolean)).toHaveLength(1);
  expect(await opened().open(code)).toBeUndefined();
});

test('a code that was not made here reads nothing', async () => {
  const reads: string[] = [];
  const invitations = opened();
  const get = storage.get.bind(storage);
  Object.assign(storage, { get: (key: string) => (reads.push(key), get(key)) });
  const forged = invitationCode(
    createSeal(createSecretKey(Buffer.alloc(32, 2))),
    { name: 'ada', uid: 'x' },
    HOUR,
  );
  for (const code of ['', 'x', forged]) expect(await invitations.open(code)).toBeUndefined();
  expect([reads, asked]).toEqual([[], []]);
  const { code } = await invite();
  await invitations.open(code);
  expect(reads.some((key) => key.includes('invitations'))).toBe(true);
});

test('is left open by a key that cannot be made, and a key that comes too late is none', async () => {
  const keys = servedStore(registry.stores, OwnedAccessKey);
  const { code, record } = await invite({ accessKeyTTL: 300 });
  const name = `ada-${record.metadata.uid}`;
  await stored(keys, { kind: 'OwnedAccessKey', metadata: { name } });
  await expect(createFirstKey(opened(), keys, code)).rejects.toMatchObject({ code: 401 });
  expect(await opened().open(code)).toBeDefined();
  await deleteObject(keys, clusterScoped(name), { dryRun: [] }, loopbackOptions('test'));
  const revoked = { open: (of: string) => opened().open(of), use: () => Promise.resolve(false) };
  await expect(createFirstKey(revoked, keys, code)).rejects.toMatchObject({ code: 401 });
  expect(await readStored(keys, clusterScoped(name))).toBeUndefined();
  expect((await createFirstKey(opened(), keys, code)).key.name).toBe(name);
  expect(await opened().open(code)).toBeUndefined();
});

describe('a login', () => {
  const IDENTITY: LoginIdentity = {
    name: 'ada',
    subject: 's',
    session: '',
    username: 'ada',
    displayName: '',
    email: '',
    emailVerified: false,
    providerGroups: [],
    claims: [],
    notes: [],
    at: 0,
  };
  const accounts = (parts: Partial<AccountParts> = {}): Accounts =>
    new Accounts({
      refreshes: undefined,
      users: servedStore(registry.stores, User),
      keys: servedStore(registry.stores, OwnedAccessKey),
      settings: {
        issuer: 'https://idp.example',
        keyTtlSeconds: 60,
        refreshMs: undefined,
        linkVerifiedEmail: false,
        groupsClaim: 'groups',
        groupsPrefix: '',
      },
      usedLogins: { use: () => Promise.resolve(true) },
      endedLogins: { has: () => Promise.resolve(false) },
      invitations: opened(),
      isAdministrator: () => Promise.resolve(false),
      ...parts,
    });
  const subject = async (): Promise<unknown> => {
    const user = await readStored(servedStore(registry.stores, User), clusterScoped('ada'));
    return user?.object().spec?.subject;
  };
  const keys = async (): Promise<number> => {
    const { cache, newestRevision } = servedStore(registry.stores, OwnedAccessKey);
    await cache.reach(await newestRevision(), 5000);
    return cache.latest().size;
  };

  test.each<[string, Partial<AccountParts>]>([
    ['that has ended', { endedLogins: { has: () => Promise.resolve(true) } }],
    [
      'whose invitation is revoked meanwhile',
      { invitations: { open: (code) => opened().open(code), use: () => Promise.resolve(false) } },
    ],
  ])('%s leaves the user as it was, and the invitation open', async (_what, parts) => {
    const { code } = await invite();
    await expect(accounts(parts).accept(IDENTITY, code, 'l')).rejects.toBeInstanceOf(LoginFailure);
    expect([await subject(), await keys()]).toEqual([undefined, 0]);
    await accounts().accept(IDENTITY, code, 'l');
    expect([await subject(), await keys()]).toEqual(['s', 1]);
  });

  test.each([
    ['https://idp.example/', true],
    ['https://other.example', false],
  ])('is that of a user who logged in at %s: %p', async (issuer, isSame) => {
    await stored(servedStore(registry.stores, User), {
      kind: 'User',
      metadata: { name: 'ada' },
      spec: { subject: 's', email: 'ada@x.example' },
      status: { login: { issuer } },
    });
    const admitted = accounts().admit({ ...IDENTITY, email: 'eve@x.example' });
    if (isSame) return expect(await admitted).toBe('ada');
    await expect(admitted).rejects.toMatchObject({ code: 403, message: expect.stringContaining(issuer) });
  });
});

test.each([
  ['Login', undefined],
  ['User', 'k'],
])('a key of the type %s is kept of its creator: %s, also if it is an administrator', (type, key) => {
  const people: People = {
    identities: { user: () => undefined, team: () => undefined },
    accessKey: (name) => ({
      kind: 'OwnedAccessKey',
      apiVersion: API_VERSION,
      metadata: { name },
      spec: { type, user: 'boss' },
    }),
    project: () => undefined,
  };
  const extra = { 'management.svc.example/access-key': ['k'] };
  const requester = { name: 'boss', uid: '', groups: ['system:masters'], extra };
  const holder = inviterOf(requester, people, now);
  expect([holder.key, holder.groups]).toEqual([key, ['system:masters']]);
});

test('its record is removed when it expires', async () => {
  const { record } = await invite();
  expect(INVITATION_EXPIRY.endOf(record.metadata, () => record)).toBe(now + HOUR);
  expect(INVITATION_EXPIRY.endOf({}, () => ({ ...record, status: {} }))).toBeUndefined();
});
