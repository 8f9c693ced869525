/** The store of one test, and the caches that the test opens on it. */
import { openCache } from '../cache.js';
import type { Cache, CacheOptions, ResourceCache } from '../interface.js';
import { SOURCES } from './changes.js';
import type { Storage, Write } from '../../storage/interface.js';

export interface CacheFixture {
  /** An empty store. */
  readonly storage: Storage;
  dispose(): Promise<void>;
}

/** `start` and `close` are called before and after each test. */
export class TestCaches {
  private fixture: CacheFixture | undefined;
  private caches: Cache[] = [];

  start(fixture: CacheFixture): void {
    this.fixture = fixture;
    this.caches = [];
  }

  get storage(): Storage {
    if (this.fixture === undefined) throw new Error('the store is not open');
    return this.fixture.storage;
  }

  async open(options?: CacheOptions): Promise<{ cache: Cache; things: ResourceCache }> {
    const cache = await openCache(this.storage, SOURCES, options);
    this.caches.push(cache);
    return { cache, things: cache.resource('test/things') };
  }

  /** Returns the revision of each write. */
  async commit(...writes: readonly Write[]): Promise<readonly number[]> {
    return (await this.storage.commit(writes)).revisions;
  }

  /** Returns the revision of the last write. */
  async commitLast(...writes: readonly Write[]): Promise<number> {
    return (await this.commit(...writes)).at(-1) as number;
  }

  async close(): Promise<void> {
    await Promise.all(this.caches.map((cache) => cache.close()));
    await this.fixture?.dispose();
  }
}
