import { describe, expect, test } from '@jest/globals';
import { newestRevision, ReadRevision } from './consistent.js';

/** A store of which each answer is given by hand. */
function scripted() {
  const calls: { resolve: (revision: number) => void; reject: (error: Error) => void }[] = [];
  const newest = newestRevision({
    currentRevision: () => new Promise((resolve, reject) => calls.push({ resolve, reject })),
  });
  return { calls, newest };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the newest revision', () => {
  test('callers during a request share the next one', async () => {
    const { calls, newest } = scripted();
    const first = newest();
    const later = [newest(), newest()];
    await turn();
    expect(calls).toHaveLength(1);
    calls[0]?.resolve(70);
    expect(await first).toBe(70);
    await turn();
    expect(calls).toHaveLength(2);
    calls[1]?.resolve(80);
    expect(await Promise.all(later)).toEqual([80, 80]);
  });

  test('callers at the arrival of a response share the next request, one at a time', async () => {
    const { calls, newest } = scripted();
    const first = newest();
    const third = first.then(() => newest());
    const second = newest();
    calls[0]?.resolve(70);
    await turn();
    expect(calls).toHaveLength(2);
    calls[1]?.resolve(80);
    expect(await Promise.all([first, second, third])).toEqual([70, 80, 80]);
    void newest();
    expect(calls).toHaveLength(3);
  });

  test('a request serves all callers from before it', async () => {
    const { calls, newest } = scripted();
    const came = performance.now();
    const first = newest(came);
    const second = newest(came);
    calls[0]?.resolve(70);
    expect(await Promise.all([first, second, newest(came)])).toEqual([70, 70, 70]);
    expect(calls).toHaveLength(1);
    while (performance.now() === came);
    const later = newest(performance.now());
    expect(calls).toHaveLength(2);
    calls[1]?.resolve(80);
    expect(await later).toBe(80);
  });

  test('a failure concerns its own callers only', async () => {
    const { calls, newest } = scripted();
    const first = newest();
    const second = newest();
    calls[0]?.reject(new Error('cut'));
    await expect(first).rejects.toThrow('cut');
    await turn();
    calls[1]?.resolve(80);
    expect(await second).toBe(80);
  });
});

describe('the revision of a request', () => {
  /** A cache that has everything, and notes what it is asked for. */
  function complete() {
    const asked: number[] = [];
    const reach = (revision: number): Promise<boolean> => {
      asked.push(revision);
      return Promise.resolve(true);
    };
    return { asked, cache: { reach } };
  }

  test('is read from the store once for all waiting requests', async () => {
    const { calls, newest } = scripted();
    const { asked, cache } = complete();
    const revision = new ReadRevision(newest, performance.now());
    const both = [revision.waitFor(cache, 10), revision.waitFor(cache, 10)];
    calls[0]?.resolve(70);
    expect(await Promise.all(both)).toEqual([true, true]);
    void newest();
    calls[1]?.resolve(80);
    await turn();
    expect(await revision.waitFor(cache, 10)).toBe(true);
    expect(asked).toEqual([70, 70, 70]);
    expect(calls).toHaveLength(2);
  });

  test('is read again if the store did not answer', async () => {
    const { calls, newest } = scripted();
    const { asked, cache } = complete();
    const revision = new ReadRevision(newest, performance.now());
    const first = revision.waitFor(cache, 10);
    calls[0]?.reject(new Error('cut'));
    await expect(first).rejects.toThrow('cut');
    const second = revision.waitFor(cache, 10);
    calls[1]?.resolve(80);
    expect(await second).toBe(true);
    expect(asked).toEqual([80]);
  });

  test('is served by a cache known to be as new, and no other', async () => {
    const newest = newestRevision({ currentRevision: () => Promise.resolve(5) });
    const revision = new ReadRevision(newest, performance.now());
    expect(revision.isIn({ revision: () => 9 })).toBe(false);
    await revision.waitFor(complete().cache, 10);
    expect(revision.isIn({ revision: () => 5 })).toBe(true);
    expect(revision.isIn({ revision: () => 4 })).toBe(false);
  });
});

test('without waiting the newest revision comes from a later response, or from the store', async () => {
  const asked = newestRevision({ currentRevision: () => Promise.resolve(5) });
  const before = performance.now();
  expect(asked.now?.(before)).toBeUndefined();
  await asked(before);
  expect(asked.now?.(before)).toBe(5);
  expect(asked.now?.(performance.now() + 1)).toBeUndefined();
  const own = newestRevision({ currentRevision: () => Promise.resolve(5), revisionNow: () => 7 });
  expect(own.now?.(Infinity)).toBe(7);
});
