import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Invitation } from '../../../api/management.svc.example/v1/invitation.js';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import type { KubeObject } from '../../../api/resource.js';
import type { Attributes } from '../../apimachinery/attributes.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import { createObject } from '../../registry/generic/create.js';
import { loopbackOptions } from '../../registry/loopback.js';
import { openRegistry, type Registry } from '../../registry/registry.js';
import { servedStore, type ResourceStore } from '../../registry/resourcestore.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { createSeal } from '../login/sealedcookie.js';
import { INVITATION_EXPIRY } from './expiry.js';
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
  expect(asked).toEqual(['impersonate users', 'create ownedaccesskeys']);
  now += HOUR - 1;
  expect(await opened().open(code)).toMatchObject({ invitedBy: 'boss' });
  now += 1;
  expect(await opened().open(code)).toBeUndefined();
});

test.each(['impersonate users', 'create ownedaccesskeys'])(
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

test('its record is removed when it expires', async () => {
  const { record } = await invite();
  expect(INVITATION_EXPIRY.endOf(record.metadata, () => record)).toBe(now + HOUR);
  expect(INVITATION_EXPIRY.endOf({}, () => ({ ...record, status: {} }))).toBeUndefined();
});
