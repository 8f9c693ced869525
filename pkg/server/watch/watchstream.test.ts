import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lease } from '../../../api/coordination.k8s.io/v1/lease.js';
import { isCollected } from '../../../test/fixtures/servers/garbagecollected.js';
import { eventually } from '../../../test/fixtures/wait.js';
import { openCache } from '../../cache/cache.js';
import type { Cache, Entry, Snapshot } from '../../cache/interface.js';
import { put, SOURCES } from '../../cache/testing/changes.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import type { WatchEncoder } from './watchencoder.js';
import type { WatchPlan } from './watchplan.js';
import { WatchRegistry } from './watchregistry.js';
import { WatchStream } from './watchstream.js';
import type { WatchWriter } from './watchwriter.js';

let directory: string;
let storage: Storage;
let cache: Cache;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'watchstream-'));
  storage = await openEmbedded({ directory });
  cache = await openCache(storage, SOURCES, { historyMs: 0 });
});
afterEach(async () => {
  await cache.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

test('a watch does not keep its first state in memory', async () => {
  await storage.commit([put('a/one'), put('a/two')]);
  const things = cache.resource('test/things');
  await eventually('both', async () => things.latest().size === 2);
  const sent: string[] = [];
  const frame = (text: string): Buffer => (sent.push(text), Buffer.from(text));
  const frames = {
    ofInitial: (entry: Entry) => frame(entry.path),
    bookmark: (revision: number) => frame(`bookmark ${revision}`),
    ofEvent: () => frame('event'),
  } as unknown as WatchEncoder;
  const writer = { connection: 1, write: () => true, end: () => undefined } as unknown as WatchWriter;
  const plan = {
    store: { definition: Lease, cache: things },
    namespace: '',
    prefix: '',
    after: things.revision(),
    bookmarks: true,
    seconds: 60,
    selection: { matches: () => true, values: [] },
    view: { all: true },
  } as unknown as WatchPlan;
  const watches = new WatchRegistry();
  const stream = new WatchStream(plan, frames, writer, watches);
  const begin = (): WeakRef<Snapshot> => {
    // A snapshot at the revision of the watch, other than the one in the cache.
    const state: Snapshot = { ...things.latest() };
    stream.begin(state);
    return new WeakRef(state);
  };
  const state = begin();
  await eventually('the initial state', async () => sent.length === 3);
  expect(sent).toEqual(['a/one', 'a/two', `bookmark ${plan.after}`]);
  expect(watches.size).toBe(1);
  expect(await isCollected(state)).toBe(true);
  stream.end();
  watches.shutdown();
});
