import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openEmbedded } from '../storage/embedded/embedded.js';
import type { Storage } from '../storage/interface.js';
import { isDue, promised, pruned, rotated, signingKeyOf, type KeyRing, type RingKey } from './keyring.js';
import { openSigningKeys, type SigningKeys } from './signingkeys.js';
import { SIGNING_KEYS } from './ringrecord.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let directory: string;
let storage: Storage;
let now = 0;
const opened: SigningKeys[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signing-keys-'));
  storage = await openEmbedded({ directory });
  now = Date.now();
});
afterEach(async () => {
  for (const keys of opened.splice(0)) keys.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

/** A server on the store. Its own timer does not fire within a test. */
async function server(): Promise<SigningKeys> {
  const failed = (error: unknown): never => {
    throw error;
  };
  const keys = await openSigningKeys(storage, { lifeMs: DAY, failed, now: () => now });
  opened.push(keys);
  return keys;
}

const inHours = (hours: number): number => Math.floor((now + hours * HOUR) / 1000);
const kids = (keys: SigningKeys): (string | undefined)[] => keys.published().map(({ kid }) => kid);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('servers that start together have one key, and publish only its public part', async () => {
  const servers = await Promise.all([server(), server(), server()]);
  const key = await (servers[0] as SigningKeys).signing(inHours(1));
  expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', d: expect.any(String) });
  for (const each of servers) {
    expect(each.published()).toEqual([
      { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: key.kid, x: key.x, y: key.y },
    ]);
    expect(each.find(key.kid as string)).toBe(each.published()[0]);
  }
});

test('publishes a new key everywhere before it signs, and the old one until its last token expires', async () => {
  const [one, other] = [await server(), await server()];
  const first = await one.signing(inHours(30));
  now += DAY;
  await Promise.all([one.tend(), other.tend()]);
  await until(() => kids(other).length === 2 && kids(one).length === 2);
  const second = kids(one).find((kid) => kid !== first.kid);
  expect((await one.signing(inHours(1))).kid).toBe(first.kid);
  now += HOUR;
  expect((await other.signing(inHours(1))).kid).toBe(second);
  expect((await one.signing(inHours(1))).kid).toBe(second);
  await one.tend();
  expect(kids(one)).toEqual([second, first.kid]);
  now += 7 * HOUR;
  await other.tend();
  await until(() => kids(one).length === 1);
  expect(kids(one)).toEqual([second]);
  expect(one.find(first.kid as string)).toBeUndefined();
});

test('extends the publication of a key once an hour, however many tokens are signed', async () => {
  const [one, other] = [await server(), await server()];
  const revision = async (): Promise<number | undefined> =>
    (await storage.get(SIGNING_KEYS)).record?.revision;
  const signed = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).signing(inHours(5))),
  );
  expect(new Set(signed.map(({ kid }) => kid)).size).toBe(1);
  const before = await revision();
  await one.signing(inHours(5));
  await one.signing(inHours(1));
  expect(await revision()).toBe(before);
  await other.signing(inHours(400));
  expect(await revision()).not.toBe(before);
});

test('keys survive a restart', async () => {
  const before = await (await server()).signing(inHours(1));
  for (const keys of opened.splice(0)) keys.close();
  await storage.close();
  storage = await openEmbedded({ directory });
  expect(await (await server()).signing(inHours(1))).toEqual(before);
});

const key = (kid: string, signsFrom: number, until = 0): RingKey => ({ jwk: { kid }, signsFrom, until });
const names = (ring: KeyRing): (string | undefined)[] => ring.map(({ jwk }) => jwk.kid);

test.each<[string, KeyRing, string | undefined, boolean, string[]]>([
  ['no key', [], undefined, true, []],
  ['one key', [key('a', 0)], 'a', true, ['a']],
  ['a recent key', [key('a', 60)], 'a', false, ['a']],
  ['a key that does not sign yet', [key('a', 120)], 'a', false, ['a']],
  ['a next key', [key('b', 120), key('a', 0)], 'a', false, ['b', 'a']],
  ['an old key without tokens', [key('b', 90), key('a', 0)], 'b', false, ['b']],
  ['an old key with tokens', [key('b', 90), key('a', 0, 101)], 'b', false, ['b', 'a']],
  [
    'several',
    [key('d', 110), key('c', 90), key('b', 50, 100), key('a', 0, 300)],
    'c',
    false,
    ['d', 'c', 'a'],
  ],
])('at 100, with a life of 50: %s', (_what, ring, signs, due, left) => {
  expect(signingKeyOf(ring, 100)?.jwk.kid).toBe(signs);
  expect(isDue(ring, 100, 50)).toBe(due);
  expect(names(pruned(ring, 100))).toEqual(left);
});

test('a next key signs after at most ten minutes, the first at once; publication is never shortened', () => {
  expect(rotated([], { kid: 'a' }, 100, DAY)[0]?.signsFrom).toBe(100);
  expect(rotated([key('a', 0)], { kid: 'b' }, 100, DAY)[0]?.signsFrom).toBe(600_100);
  expect(rotated([key('a', 0)], { kid: 'b' }, 100, 40)[0]?.signsFrom).toBe(110);
  const ring = promised([key('b', 0), key('a', 0)], 'a', HOUR + 1);
  expect(ring.map(({ until }) => until)).toEqual([0, 2 * HOUR]);
  expect(promised(ring, 'a', 1)).toEqual(ring);
});
