import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind, clusterScoped } from '../../../../api/resource.js';
import { createObject } from '../../../registry/generic/create.js';
import { loopbackOptions } from '../../../registry/loopback.js';
import { openRegistry, type Registry } from '../../../registry/registry.js';
import { readStored, servedStore } from '../../../registry/resourcestore.js';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import type { Storage } from '../../../storage/interface.js';
import { createAccessKey } from '../accesskey.js';
import { LoginFailure, type LoginIdentity } from '../interface.js';
import type { Provider, Refreshed } from '../provider.js';
import { createSeal } from '../sealedcookie.js';
import { endSession } from '../sessionlimit.js';
import { LoginRefresh } from './loginrefresh.js';
import { RefreshRecords } from './refreshrecords.js';
import { LOGIN_SETTINGS } from '../../../../test/fixtures/stubs/loginsettings.js';

const REFRESH_MS = 600_000;
const OPEN = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
const SETTINGS = { ...LOGIN_SETTINGS, keyTtlSeconds: 3600, refreshMs: REFRESH_MS };

let directory: string;
let storage: Storage;
let registry: Registry;
let now: number;
const seal = createSeal(createSecretKey(Buffer.alloc(32, 1)), () => now);
const failed = jest.fn();
const refresh = jest.fn<Provider['refresh']>();

const server = (): LoginRefresh =>
  new LoginRefresh({
    settings: SETTINGS,
    provider: { refresh },
    ruleClaims: () => [],
    records: new RefreshRecords(storage),
    users: servedStore(registry.stores, User),
    keys: servedStore(registry.stores, OwnedAccessKey),
    seal,
    failed,
    now: () => now,
  });
const kept = async (): Promise<number> =>
  (await storage.scan({ start: 'private/loginrefresh/', end: 'private/loginrefresh0' })).records.length;
const answer = (groups: readonly string[], refreshToken?: string) => ({
  claims: () => Promise.resolve({ sub: 'subject', preferred_username: 'ada', groups }),
  refreshToken,
});
const saying = (claims: Awaited<ReturnType<Refreshed['claims']>>): Refreshed => ({
  claims: () => Promise.resolve(claims),
  refreshToken: undefined,
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'login-refresh-'));
  storage = await openEmbedded({ directory });
  const kinds = [User, OwnedAccessKey].map((definition) => ({ definition }));
  registry = await openRegistry(storage, kinds, () => OPEN);
  now = Date.now();
  const object = {
    kind: 'User',
    apiVersion: 'management.svc.example/v1',
    metadata: { name: 'ada' },
    spec: { subject: 'subject' },
  };
  await createObject(servedStore(registry.stores, User), '', object, loopbackOptions('test'));
});
afterEach(async () => {
  refresh.mockReset();
  failed.mockReset();
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

/** A login with this refresh token. Returns its key. */
async function loggedIn(name: string, token: string) {
  const keys = servedStore(registry.stores, OwnedAccessKey);
  const spec = { user: 'ada', type: 'Login', ttl: 3600, groups: ['old'] };
  const key = await createAccessKey(keys, name, spec, 'test');
  const identity = { subject: 'subject', session: '', refresh: server().sealed(token) } as LoginIdentity;
  await server().keep(key, 'ada', identity);
  return key;
}

async function groupsOf(name: string): Promise<readonly string[] | undefined> {
  const stored = await readStored(servedStore(registry.stores, OwnedAccessKey), clusterScoped(name));
  return asKind(OwnedAccessKey, stored?.object())?.spec?.groups;
}

test('one of several servers asks, with the token that came last', async () => {
  await loggedIn('login-ada-1', 'first');
  await server().confirmDue();
  expect(refresh).not.toHaveBeenCalled();
  refresh.mockResolvedValue(answer(['new'], 'second'));
  now += REFRESH_MS;
  await Promise.all([server(), server(), server()].map((one) => one.confirmDue()));
  expect(refresh.mock.calls).toEqual([['first']]);
  now += REFRESH_MS;
  await server().confirmDue();
  expect(refresh.mock.calls[1]).toEqual(['second']);
  expect(await groupsOf('login-ada-1')).toEqual(['new']);
});

test('a provider that cannot be reached is asked for few logins in a round, and ends none', async () => {
  for (let at = 0; at < 20; at += 1) await loggedIn(`login-ada-${at}`, `token-${at}`);
  refresh.mockRejectedValue(new LoginFailure(502, 'unreachable'));
  now += REFRESH_MS;
  await server().confirmDue();
  expect(failed.mock.calls).toEqual([[expect.objectContaining({ code: 502 })]]);
  expect(refresh.mock.calls.length).toBeLessThan(17);
  expect(await kept()).toBe(20);
});

test.each<[string, Refreshed | undefined]>([
  ['that the provider has ended', undefined],
  ['of another person', saying({ sub: 'other', preferred_username: 'ada' })],
  ['without a name', saying({ sub: 'subject' })],
])('a login %s ends, and what was kept of it', async (_what, answered) => {
  await loggedIn('login-ada-1', 'token');
  refresh.mockResolvedValue(answered);
  now += REFRESH_MS;
  await server().confirmDue();
  const keys = servedStore(registry.stores, OwnedAccessKey);
  expect([await readStored(keys, clusterScoped('login-ada-1')), await kept()]).toEqual([undefined, 0]);
});

test('a token that was replaced is kept, whatever fails then', async () => {
  await loggedIn('login-ada-1', 'first');
  const claims = (): Promise<never> => Promise.reject(new LoginFailure(502, 'no user info'));
  refresh.mockResolvedValue({ refreshToken: 'second', claims });
  now += REFRESH_MS;
  await server().confirmDue();
  now += REFRESH_MS;
  await server().confirmDue();
  expect(refresh.mock.calls).toEqual([['first'], ['second']]);
  expect(failed).toHaveBeenCalledTimes(2);
});

test('an answer that says nothing of the person changes nothing', async () => {
  await loggedIn('login-ada-1', 'first');
  refresh.mockResolvedValue(saying(undefined));
  now += REFRESH_MS;
  await server().confirmDue();
  expect(await groupsOf('login-ada-1')).toEqual(['old']);
});

test('a server that stopped while it asked keeps others from asking for two minutes at most', async () => {
  await loggedIn('login-ada-1', 'first');
  refresh.mockReturnValueOnce(new Promise(() => undefined)).mockResolvedValue(answer(['new']));
  now += REFRESH_MS;
  void server().confirmDue();
  while (refresh.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await server().confirmDue();
  expect(refresh).toHaveBeenCalledTimes(1);
  now += REFRESH_MS;
  await server().confirmDue();
  expect(await groupsOf('login-ada-1')).toEqual(['new']);
});

test('nothing is kept of keys that are gone, or whose time is over', async () => {
  const key = await loggedIn('login-ada-1', 'token');
  await endSession(servedStore(registry.stores, OwnedAccessKey), key, 'test');
  now += REFRESH_MS;
  await server().confirmDue();
  expect(await kept()).toBe(0);
  await loggedIn('login-ada-2', 'token');
  now += 3_600_000;
  await server().confirmDue();
  expect(await kept()).toBe(0);
  expect(refresh).not.toHaveBeenCalled();
});
