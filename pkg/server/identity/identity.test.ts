import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { digest } from '../../authentication/bearer.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import { prefixEnd, type Storage } from '../../storage/interface.js';
import { tokenOf } from '../pki/kubeconfig.js';
import { generateKey, hashKey, isKey } from './adminkey.js';
import { adminLookup } from './adminlookup.js';
import { followAdminKey, keepAdminKubeconfig, readAdminRecord } from './adminrecord.js';
import { loadIdentity } from './cluster.js';

let root: string;
let directory: string;
let storage: Storage;
const pepper = Buffer.alloc(32, 7);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'identity-'));
});
beforeEach(async () => {
  directory = await mkdtemp(join(root, 'store-'));
  storage = await openEmbedded({ directory });
});
afterEach(() => storage.close());
afterAll(() => rm(root, { recursive: true }));

describe('keys', () => {
  test('have their form and do not repeat', () => {
    const keys = Array.from({ length: 50 }, generateKey);
    expect(new Set(keys).size).toBe(50);
    for (const key of keys) {
      expect(key).toMatch(/^mk_[0-9A-Za-z]{46}$/);
      expect(isKey(key)).toBe(true);
    }
  });

  test('one changed character shows', () => {
    const key = generateKey();
    for (let at = 3; at < key.length; at += 1) {
      const other = key.charAt(at) === 'a' ? 'b' : 'a';
      expect(isKey(key.slice(0, at) + other + key.slice(at + 1))).toBe(false);
    }
    expect(isKey('')).toBe(false);
    expect(isKey(`${key}a`)).toBe(false);
  });
});

describe('cluster identity', () => {
  test('is made once, also by servers that start together, and survives a restart', async () => {
    const all = await Promise.all([loadIdentity(storage), loadIdentity(storage), loadIdentity(storage)]);
    expect(new Set(all.map(({ storeId }) => storeId)).size).toBe(1);
    expect(all[0].pepper).toHaveLength(32);
    expect(all[0].signingKeys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256' });
    await storage.close();
    storage = await openEmbedded({ directory });
    expect(await loadIdentity(storage)).toEqual(all[0]);
  });

  test('nothing of it lies where objects are', async () => {
    await loadIdentity(storage);
    const { records } = await storage.scan({ start: 'registry/', end: prefixEnd('registry/') });
    expect(records).toEqual([]);
  });
});

describe("the administrator's key", () => {
  const options = (path: string, server = 'https://127.0.0.1:1') => ({
    storage,
    pepper,
    path,
    server,
    authority: 'PEM',
  });
  const tokenIn = async (path: string) => tokenOf(await readFile(path, 'utf8')) as string;

  test('is written once and kept while it is valid, also when the address changes', async () => {
    const path = join(directory, 'deep', 'admin.kubeconfig');
    await keepAdminKubeconfig(options(path));
    const first = await readFile(path, 'utf8');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await keepAdminKubeconfig(options(path));
    expect(await readFile(path, 'utf8')).toBe(first);
    await keepAdminKubeconfig(options(path, 'https://127.0.0.1:2'));
    expect(await readFile(path, 'utf8')).toContain('https://127.0.0.1:2');
    expect(await tokenIn(path)).toBe(tokenOf(first));
  });

  test.each([['users: [{user: {token: stranger}}]'], ['{'], ['']])(
    'a file with %j gets a new key',
    async (text) => {
      const path = join(directory, 'admin.kubeconfig');
      await writeFile(path, text);
      await keepAdminKubeconfig(options(path));
      const { hash } = await readAdminRecord(storage);
      expect(hashKey(await tokenIn(path), pepper)).toEqual(hash);
    },
  );

  test('is nowhere in the store', async () => {
    const path = join(directory, 'admin.kubeconfig');
    await keepAdminKubeconfig(options(path));
    const { records } = await storage.scan({ start: ' ', end: '~' });
    const key = await tokenIn(path);
    expect(records.length).toBeGreaterThan(0);
    for (const { value } of records) expect(value.includes(key)).toBe(false);
  });

  test('a replaced key stops working on every server', async () => {
    const [one, two] = [join(directory, 'one'), join(directory, 'two')];
    await keepAdminKubeconfig(options(one));
    const hash = await followAdminKey(storage);
    const lookup = adminLookup(pepper, hash.current);
    const knows = (key: string) => lookup(key, digest(key)) !== undefined;
    const first = await tokenIn(one);
    expect([knows(first), knows(first), knows(generateKey()), knows('x')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await keepAdminKubeconfig(options(two));
    const second = await tokenIn(two);
    while (!knows(second)) await new Promise(setImmediate);
    expect(knows(first)).toBe(false);
    hash.close();
  });
});
