import { describe, expect, test } from '@jest/globals';
import { StoreRefused } from '../../../pkg/server/storeguard/refused.js';
import { isReadyWithoutStore, noteFailure, unknownStore } from './storestate.js';

const REFUSED = new StoreRefused('empty', 'the store is empty');

test.each([
  ['a store that was not reached yet', {}, false],
  ['a store that is away for long', { awaited: true }, true],
  ['a store that takes long to load', { awaited: true, answers: true }, false],
  ['what is served', { served: true, answers: true }, true],
  ['one that is refused', { awaited: true, answers: true, refused: REFUSED }, true],
  [
    'one that is refused here alone',
    { awaited: true, answers: true, refused: REFUSED, elsewhere: true },
    false,
  ],
  ['what was loaded before its store went away', { served: true, awaited: true }, true],
])('%s: ready is %j', (_what, known, ready) =>
  expect(isReadyWithoutStore({ ...unknownStore(), ...known })).toBe(ready),
);

describe('a store that is refused', () => {
  test('counts as served by another until that is known', () => {
    const store = { ...unknownStore(), awaited: true, answers: true };
    noteFailure(store, REFUSED);
    expect(isReadyWithoutStore(store)).toBe(false);
    store.elsewhere = false;
    noteFailure(store, REFUSED);
    expect(isReadyWithoutStore(store)).toBe(true);
  });

  test('is forgotten with the next failure of another kind', () => {
    const store = { ...unknownStore(), awaited: true };
    noteFailure(store, REFUSED);
    noteFailure(store, undefined);
    expect([store.refused, isReadyWithoutStore(store)]).toEqual([undefined, true]);
  });
});
