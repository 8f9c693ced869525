import { createSecretKey } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../storage/embedded/embedded.js';
import { prefixEnd, type Storage } from '../storage/interface.js';
import { tokenOf } from '../pki/kubeconfig.js';
import { generateKey, hashKey, isKey } from '../management/accesskeys/accesskey.js';
import { keepAdminKubeconfig, renewAdminKey } from '../management/administrators/adminkubeconfig.js';
import { AdminKeys } from '../management/administrators/adminkeys.js';
import { readAdminRecords } from '../management/administrators/adminrecords.js';
import { loadIdentity } from './cluster.js';
import { fakeAccessKeys } from '../management/administrators/testing/accesskeys.js';

let root: string;
let directory: string;
let storage: Storage;
const pepper = createSecretKey(Buffer.alloc(32, 7));

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
  test('have the right format and do not repeat', () => {
    const keys = Array.from({ length: 50 }, generateKey);
    expect(new Set(keys).size).toBe(50);
    for (const key of keys) {
      expect(key).toMatch(/^mk_[0-9A-Za-z]{46}$/);
      expect(isKey(key)).toBe(true);
    }
  });

  test('are invalid with one character changed', () => {
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
  test('is created once by servers that start together, and survives a restart', async () => {
    const all = await Promise.all([loadIdentity(storage), loadIdentity(storage), loadIdentity(storage)]);
    expect(new Set(all.map(({ storeId }) => storeId)).size).toBe(1);
    expect(all[0].pepper.symmetricKeySize).toBe(32);
    await storage.close();
    storage = await openEmbedded({ directory });
    const { pepper: kept, ...again } = await loadIdentity(storage);
    const { pepper: made, ...first } = all[0];
    expect([again, kept.equals(made)]).toEqual([first, true]);
  });

  test('is not stored among objects', async () => {
    await loadIdentity(storage);
    const { records } = await storage.scan({ start: 'registry/', end: prefixEnd('registry/') });
    expect(records).toEqual([]);
  });
});

describe("the administrator's key", () => {
  /** Keys by name. */
  let objects: Map<string, string>;
  const accessKeys = fakeAccessKeys(() => objects);
  const find = (token: string) => [...objects].find(([, key]) => key === token)?.[0];
  beforeEach(() => {
    objects = new Map();
  });
  const options = (path: string, server = 'https://127.0.0.1:1') => ({
    storage,
    accessKeys,
    pepper,
    path,
    server,
    authority: 'PEM',
    storeId: 'a',
  });
  const tokenIn = async (path: string) => tokenOf(await readFile(path, 'utf8')) as string;

  test('is written once and kept while it is valid, even if the address changes', async () => {
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

  test('is written to an empty file', async () => {
    const path = join(directory, 'admin.kubeconfig');
    await writeFile(path, '');
    await keepAdminKubeconfig(options(path));
    expect(await hashesIn()).toEqual([await hashIn(path)]);
  });

  test.each([
    ['users: [{user: {token: stranger}}]'],
    ['{'],
    ['my notes'],
    ['apiVersion: v1\nkind: Config\n'],
  ])('does not replace a file with %j', async (text) => {
    const path = join(directory, 'admin.kubeconfig');
    await writeFile(path, text);
    await expect(keepAdminKubeconfig(options(path))).rejects.toThrow(/did not write.*remove it/);
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await hashesIn()).toEqual([]);
    await rm(path);
    await keepAdminKubeconfig(options(path));
    expect(await hashesIn()).toEqual([await hashIn(path)]);
  });

  test('is not written through a link or to a pipe', async () => {
    const [path, target] = [join(directory, 'admin.kubeconfig'), join(directory, 'target')];
    await writeFile(target, '');
    for (const to of [target, join(directory, 'nowhere'), '/dev/zero']) {
      await symlink(to, path);
      await expect(keepAdminKubeconfig(options(path))).rejects.toThrow(/did not write/);
      await rm(path);
    }
    expect(await readFile(target, 'utf8')).toBe('');
    execFileSync('mkfifo', [path]);
    await expect(keepAdminKubeconfig(options(path))).rejects.toThrow(/did not write/);
  });

  test('does not replace the file of another store', async () => {
    const path = join(directory, 'admin.kubeconfig');
    await keepAdminKubeconfig(options(path));
    await keepAdminKubeconfig(options(path, 'https://127.0.0.1:3'));
    const before = await readFile(path, 'utf8');
    const other = { ...options(path), storeId: 'b', pepper: createSecretKey(Buffer.alloc(32, 9)) };
    await expect(keepAdminKubeconfig(other)).rejects.toThrow(/did not write/);
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  test('keeps edits of a file for this server, with mode 0600', async () => {
    const path = join(directory, 'admin.kubeconfig');
    await keepAdminKubeconfig(options(path));
    const edited = `${await readFile(path, 'utf8')}preferences: {}\n`;
    await writeFile(path, edited);
    await keepAdminKubeconfig(options(path));
    expect(await readFile(path, 'utf8')).toBe(edited);
    await expect(keepAdminKubeconfig(options(path, 'https://127.0.0.1:4'))).rejects.toThrow(/did not write/);
    await rm(path);
    await keepAdminKubeconfig(options(path));
    await chmod(path, 0o644);
    await keepAdminKubeconfig(options(path));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('is not stored in plain text', async () => {
    const path = join(directory, 'admin.kubeconfig');
    await keepAdminKubeconfig(options(path));
    const { records } = await storage.scan({ start: ' ', end: '~' });
    const key = await tokenIn(path);
    expect(records.length).toBeGreaterThan(0);
    for (const { value } of records) expect(value.includes(key)).toBe(false);
  });

  const hashesIn = async () => (await readAdminRecords(storage)).records.map(({ hash }) => hash);
  const hashIn = async (path: string) => hashKey(await tokenIn(path), pepper);

  test('ends on every server when it is replaced, and others stay valid', async () => {
    const [one, two] = [join(directory, 'one'), join(directory, 'two')];
    await keepAdminKubeconfig(options(one));
    const hashes = await AdminKeys.watch(storage);
    const knows = (key: string) => {
      const name = find(key);
      return name !== undefined && hashes.named(name)?.hash.equals(hashKey(key, pepper)) === true;
    };
    const first = await tokenIn(one);
    expect([first, first, generateKey(), 'x'].map(knows)).toEqual([true, true, false, false]);
    await hashes.waitFor((await keepAdminKubeconfig(options(two))).record);
    const second = await tokenIn(two);
    expect([second, first, second, first].map(knows)).toEqual([true, true, true, true]);
    await rm(one);
    await keepAdminKubeconfig(options(one));
    const third = await tokenIn(one);
    while (!knows(third)) await new Promise(setImmediate);
    expect([first, second, third].map(knows)).toEqual([false, true, true]);
    hashes.close();
  });

  test('is written by concurrent servers without conflict', async () => {
    const paths = ['a', 'b', 'c', 'd'].map((name) => join(directory, name));
    await Promise.all(paths.map((path) => keepAdminKubeconfig(options(path))));
    const expected = await Promise.all(paths.map(hashIn));
    expect(new Set((await hashesIn()).map(String))).toEqual(new Set(expected.map(String)));
  });

  test('stays valid when its file is moved', async () => {
    const [old, moved] = [join(directory, 'old'), join(directory, 'moved')];
    await keepAdminKubeconfig(options(old));
    await writeFile(moved, await readFile(old));
    await keepAdminKubeconfig(options(moved));
    expect(await hashesIn()).toEqual([await hashIn(moved)]);
    expect(await tokenIn(moved)).toBe(await tokenIn(old));
  });

  test('is deleted after a month without use', async () => {
    const day = 24 * 60 * 60 * 1000;
    const [gone, used, fresh] = ['gone', 'used', 'fresh'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    await keepAdminKubeconfig({ ...options(gone), now: 0 });
    const { record: key } = await keepAdminKubeconfig({ ...options(used), now: 0 });
    await renewAdminKey(storage, key, 20 * day);
    await keepAdminKubeconfig({ ...options(fresh), now: 31 * day });
    const expected = [await hashIn(used), await hashIn(fresh)].map(String);
    expect(new Set((await hashesIn()).map(String))).toEqual(new Set(expected));
    // The server that owns the key keeps it, even though it was unused for long.
    await keepAdminKubeconfig({ ...options(used), now: 90 * day });
    expect((await hashesIn()).map(String)).toContain(String(await hashIn(used)));
  });
});
