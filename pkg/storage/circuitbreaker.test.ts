import { describe, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from './embedded/embedded.js';
import type { Storage } from './interface.js';
import { watchStore } from './circuitbreaker.js';

/** A store whose responses the test can delay and replace by errors. */
async function withStore(
  work: (parts: { storage: Storage; hold(): void; release(): void }) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'knownaway-'));
  const real = await openEmbedded({ directory });
  let held: Promise<void> = Promise.resolve();
  let release = (): void => undefined;
  const hold = (): void => {
    held = new Promise((resolve) => (release = resolve));
  };
  const after =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      held.then(() => call(...args));
  const storage: Storage = {
    ...real,
    get: after(real.get.bind(real)),
    scan: after(real.scan.bind(real)),
    commit: after(real.commit.bind(real)),
    currentRevision: after(real.currentRevision.bind(real)),
  };
  try {
    await work({ storage, hold, release: () => release() });
  } finally {
    release();
    await real.close();
    await rm(directory, { recursive: true });
  }
}

const AWAY = { failure: { code: 'unavailable', outcome: 'none' } };

describe('the circuit breaker', () => {
  test('rejects requests while the store does not answer, including reads in flight, then accepts them', () =>
    withStore(async ({ storage, hold, release }) => {
      const changes: boolean[] = [];
      let next = (): void => undefined;
      const change = (): Promise<void> => new Promise((resolve) => (next = resolve));
      const changed = (up: boolean): void => {
        changes.push(up);
        next();
      };
      const watched = watchStore(storage, { timeoutMs: 20, pauseMs: 4, changed });
      const write = { key: 'a', value: Buffer.from('1'), expect: 'absent' } as const;
      await watched.storage.commit([write]);
      const goes = change();
      hold();
      const read = watched.storage.get('a');
      const written = watched.storage.commit([{ ...write, key: 'b' }]);
      await expect(read).rejects.toMatchObject(AWAY);
      await goes;
      expect(watched.up()).toBe(false);
      await expect(watched.storage.currentRevision()).rejects.toMatchObject(AWAY);
      await expect(watched.storage.commit([{ ...write, key: 'c' }])).rejects.toMatchObject(AWAY);
      const comes = change();
      release();
      await comes;
      expect(changes).toEqual([false, true]);
      // Writes that were in progress when the store became unavailable were executed.
      expect((await written).revisions).toHaveLength(1);
      const { records } = await watched.storage.scan({ start: 'a', end: 'z' });
      expect(records.map(({ key }) => key)).toEqual(['a', 'b']);
      watched.stop();
    }));
});
