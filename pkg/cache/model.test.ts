/** Random writes against a plain model: every revision that can be read is as the model was. */
import { describe, expect, test } from '@jest/globals';
import { Epoch } from './store/epoch.js';
import { keyOf, put, SOURCES, text } from './testing/changes.js';

const LIMITS = { ageMs: 0, events: 5_000, bytes: 1 << 20, parsedBytes: 10_000 };

/** mulberry32: the same numbers each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe('the state of a resource', () => {
  test.each([
    ['keeps all past events', { ...LIMITS, ageMs: 1e9, bytes: 1e9, events: 1e6 }, 6_000],
    ['little of it kept', { ...LIMITS, events: 700 }, 6_000],
    ['bounded by bytes', { ...LIMITS, ageMs: 1e9, bytes: 500_000 }, 6_000],
  ])('%s', (_title, limits, count) => {
    const random = numbers(7);
    const epoch = new Epoch(SOURCES, 100, limits);
    const state = epoch.state('test/things');
    const model = new Map<string, number>();
    const derived = epoch.state('test/shadows');
    const shadows = new Map<string, number>();
    const derivedStates = new Map<number, string>();
    const states = new Map<number, string>();
    const render = (pairs: Iterable<readonly [string, number]>): string =>
      Array.from(pairs, ([path, revision]) => `${path}@${revision}`)
        .sort()
        .join();
    const held = [];

    for (let revision = 101; revision < 101 + count; revision += 1) {
      const path = `n${random(5)}/o${random(150)}`;
      const absent = random(3) === 0;
      const casts = Array.from({ length: random(4) }, (_, at) => String(at));
      const { value } = put(path, { pad: 'x'.repeat(random(3_000)), casts });
      const own = path.replace('/', '/of:');
      for (const old of [...shadows.keys()]) if (old.startsWith(`${own}:`)) shadows.delete(old);
      if (absent) model.delete(path);
      else {
        model.set(path, revision);
        for (const cast of casts) shadows.set(`${own}:${cast}`, revision);
      }
      const event = { key: keyOf(path), value: absent ? undefined : value, revision, commitEnd: true };
      epoch.apply([event], revision);
      const latest = state.latest(revision);
      expect(latest.size).toBe(model.size);
      if (revision % 31 === 0) derivedStates.set(revision, render(shadows));
      if (revision % 97 === 0) {
        states.set(revision, render(model));
        const [entry] = latest.entries(`n${random(5)}/`);
        if (entry !== undefined) held.push({ entry, view: entry.bytes, text: entry.bytes.toString() });
        entry?.object();
      }
    }

    const revision = epoch.revision();
    let readable = 0;
    for (const [wanted, expected] of states) {
      const snapshot = state.at(wanted, revision);
      expect(snapshot === undefined).toBe(wanted < state.floor());
      if (snapshot === undefined) continue;
      readable += 1;
      expect(render(Array.from(snapshot.entries(''), (one) => [one.path, one.revision] as const))).toBe(
        expected,
      );
      expect(snapshot.count('n2/')).toBe(text(snapshot.entries('n2/')).length);
      for (const one of snapshot.entries(''))
        expect(one.object().metadata.resourceVersion).toBe(`${one.revision}`);
    }
    expect(readable).toBeGreaterThan(0);
    expect(derived.latest(revision).size).toBe(shadows.size);
    let derivedReadable = 0;
    for (const [wanted, expected] of derivedStates) {
      const snapshot = derived.at(wanted, revision);
      expect(snapshot === undefined).toBe(wanted < derived.floor());
      if (snapshot === undefined) continue;
      derivedReadable += 1;
      expect(render(Array.from(snapshot.entries(''), (one) => [one.path, one.revision] as const))).toBe(
        expected,
      );
    }
    expect(derivedReadable).toBeGreaterThan(0);
    for (const { entry, view, text: was } of held) {
      expect(view.toString()).toBe(was);
      expect(entry.bytes.toString()).toBe(was);
    }
    const { live, allocated } = epoch.memory();
    expect(allocated).toBeLessThan(live * 2 + 2 * (1 << 20));
  });
});
