/** Other processes read a store while its owner uses it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'lmdb';
import { FIRST_REVISION, type Storage } from '../interface.js';
import { ALL, commitOne, put } from '../testing/conformance/case.js';
import { readWatch } from '../testing/conformance/reader.js';
import { announceReader, DirectoryInUseError } from './directorylock.js';
import { openEmbedded } from './embedded.js';
import { readEmbedded } from './readonly.js';
import { READER, transpileEngine } from './testing/transpile.js';

const READERS = 2;
const READS = 60;
const MIB = 1024 * 1024;

let directory: string;
let store: Storage | undefined;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'owned-'));
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  await rm(directory, { recursive: true });
});

test('a store is named as unfinished that was ended before anything was in it', async () => {
  const root = open({ path: directory, noSubdir: false });
  await root.close();
  await expect(readEmbedded(directory)).rejects.toThrow('it has no tables yet');
  store = await openEmbedded({ directory });
  await store.close();
  const reads = await readEmbedded(directory);
  expect((await reads?.scan(ALL))?.records).toEqual([]);
  await reads?.close();
  store = undefined;
});

test('processes that begin to read during writes undo no commit', async () => {
  const engine = await transpileEngine();
  const open = (store = await openEmbedded({ directory }));
  const revisions: number[] = [await commitOne(open, put('k0', '0'))];
  const readers = Array.from({ length: READERS }, () =>
    spawn(process.execPath, [READER, engine, directory, String(READS)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const ended = Promise.all(readers.map((one) => once(one, 'exit')));
  let reading = true;
  void ended.then(() => (reading = false));
  for (let at = 0; reading; at += 1) revisions.push(await commitOne(open, put(`k${at % 20}`, String(at))));
  expect((await ended).map(([code]) => code as unknown)).toEqual([0, 0]);
  await open.close();

  store = await openEmbedded({ directory });
  const events = await readWatch(store.watch(ALL, { after: FIRST_REVISION })).until(revisions.at(-1) ?? 0);
  expect(events.map(({ revision }) => revision)).toEqual(revisions);
  await rm(engine, { recursive: true });
});

describe('a reader in another process', () => {
  test('reads everything in pages of bounded size, then the changes', async () => {
    store = await openEmbedded({ directory });
    for (let at = 10; at < 40; at += 1)
      await store.commit([{ key: `k${at}`, value: Buffer.alloc(MIB, at), expect: 'any' }]);
    const before = await store.currentRevision();
    const reader = (await readEmbedded(directory))!;
    const { records, revision } = await reader.scan({ start: 'k', end: 'l' });
    expect(revision).toBe(before);
    expect(records.map(({ key, value }) => [key, value.length, value[7]])).toEqual(
      Array.from({ length: 30 }, (_, at) => [`k${at + 10}`, MIB, at + 10]),
    );
    expect((await reader.scan({ start: 'k', end: 'l' }, { limit: 3 })).records).toHaveLength(3);
    await store.commit([{ key: 'k10', value: undefined, expect: 'present' }]);
    expect((await reader.get('k10', { revision: before })).record?.value).toHaveLength(MIB);
    expect((await reader.get('k10')).record).toBeUndefined();
    const changes = reader.changes(before);
    for await (const { events } of changes.untilNow()) expect(events).toMatchObject([{ key: 'k10' }]);
    changes.close();
    await reader.close();
  });

  test('reports compacted revisions as the engine does', async () => {
    store = await openEmbedded({ directory });
    const first = await commitOne(store, put('a', '1'));
    const second = await commitOne(store, put('a', '2', first));
    await store.compact(second);
    const reader = (await readEmbedded(directory))!;
    await expect(reader.scan(ALL, { revision: first })).rejects.toMatchObject({
      failure: { code: 'compacted' },
    });
    await reader.close();
  });

  test('continues after the owner has ended', async () => {
    const first = await openEmbedded({ directory });
    const one = await commitOne(first, put('a', '1'));
    const reader = (await readEmbedded(directory))!;
    const changes = reader.changes(one);
    const next = async (): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { events } of changes.untilNow()) keys.push(...events.map(({ key }) => key));
      return keys;
    };
    await commitOne(first, put('b', '2'));
    expect(await next()).toEqual(['b']);
    await commitOne(first, put('c', '3'));
    await first.close();
    expect(await next()).toEqual(['c']);
    expect((await reader.get('c')).record?.value.toString()).toBe('3');
    expect((await reader.scan(ALL)).records.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    changes.close();
    await reader.close();
  });

  test('names an owner that does not admit readers', async () => {
    await writeFile(path.join(directory, 'data.mdb'), '');
    const older = createServer((connection) => connection.destroy()).listen(
      path.join(directory, 'owner-0.sock'),
    );
    await once(older, 'listening');
    await expect(readEmbedded(directory)).rejects.toThrow('does not let others read it');
    older.close();
  });
});

describe('while a reader opens the files', () => {
  test('an open waits for it', async () => {
    const reader = await announceReader(directory);
    let opened = false;
    const opening = openEmbedded({ directory }).then((open) => {
      opened = true;
      return (store = open);
    });
    await sleep(100);
    expect(opened).toBe(false);
    await reader.end();
    await opening;
    await expect(openEmbedded({ directory })).rejects.toThrow(DirectoryInUseError);
  });

  test('an open removes the socket of a reader that was killed', async () => {
    const left = path.join(directory, 'reader-0.sock');
    await writeFile(left, '');
    store = await openEmbedded({ directory });
    expect(existsSync(left)).toBe(false);
    expect((await readdir(directory)).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
  });
});
