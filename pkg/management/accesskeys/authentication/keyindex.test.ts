import { createSecretKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hashKey } from '../accesskey.js';
import { openCache } from '../../../cache/cache.js';
import type { Cache } from '../../../cache/interface.js';
import { KEY_RECORDS } from '../keyrecord.js';
import { openEmbedded } from '../../../storage/embedded/embedded.js';
import type { Storage } from '../../../storage/interface.js';
import { keyIndex } from './keyindex.js';

const PEPPER = createSecretKey(Buffer.alloc(32, 1));
const PREFIX = KEY_RECORDS.prefix;

let directory: string;
let storage: Storage;
let cache: Cache;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyindex-'));
  storage = await openEmbedded({ directory });
  cache = await openCache(storage, [
    { ...KEY_RECORDS, namespaced: false, decode: (value) => Buffer.from(value) },
  ]);
});
afterAll(async () => {
  await cache.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

async function write(name: string, token: string | undefined, connectorData?: string): Promise<void> {
  const hash = token && hashKey(token, PEPPER).toString('base64');
  const value = hash && Buffer.from(JSON.stringify({ hash, connectorData }));
  const { revisions } = await storage.commit([
    { key: `${PREFIX}${name}`, expect: 'any', ...(value ? { value } : {}) },
  ]);
  await cache.resource(KEY_RECORDS.resource).reach(revisions[0] ?? 0, 5_000);
}

test('finds keys by their tokens, and caches no hash of a key that was deleted or got another token', async () => {
  const index = keyIndex(cache.resource(KEY_RECORDS.resource), PEPPER);
  for (const name of ['one', 'other', 'changed']) await write(name, `token of ${name}`);
  const find = (...tokens: string[]): unknown[] => tokens.map((token) => index.find(token));
  expect(
    find('token of one', 'token of one', 'token of other', 'token of changed', 'token of nobody'),
  ).toEqual(['one', 'one', 'other', 'changed', undefined]);
  expect(index.cached).toBe(3);
  await write('one', 'token of one', 'data of the connector');
  await write('other', undefined);
  await write('changed', 'its new token');
  expect(find('token of one', 'token of other', 'token of changed')).toEqual(['one', undefined, undefined]);
  expect(index.cached).toBe(1);
  expect(find('its new token')).toEqual(['changed']);
  expect(index.cached).toBe(2);
});
