import { describe, expect, test } from '@jest/globals';
import { StoreRefused } from './refused.js';
import { StoreState } from './storestate.js';

const stateWith = (known: Partial<StoreState>): StoreState => Object.assign(new StoreState(), known);
const REFUSED = new StoreRefused('empty', 'the store is empty');

test.each([
  ['a store that has not answered yet', {}, false],
  ['a store that is unavailable for long', { awaited: true }, true],
  ['a store that takes long to load', { awaited: true, answers: true }, false],
  ['a store that is served', { served: true, answers: true }, true],
  ['a store that every server refuses', { awaited: true, answers: true, refused: REFUSED }, true],
  [
    'a store that only this server refuses',
    { awaited: true, answers: true, refused: REFUSED, elsewhere: true },
    false,
  ],
  ['a store that became unavailable after it was loaded', { served: true, awaited: true }, true],
])('%s: ready is %j', (_what, known, ready) => expect(stateWith(known).ready()).toBe(ready));

describe('a store that is refused', () => {
  test('counts as served elsewhere until another server was looked for', () => {
    const store = stateWith({ awaited: true, answers: true });
    store.failed(REFUSED);
    expect(store.ready()).toBe(false);
    store.elsewhere = false;
    store.failed(REFUSED);
    expect(store.ready()).toBe(true);
  });

  test('does not count as refused after a failure of another kind', () => {
    const store = stateWith({ awaited: true });
    store.failed(REFUSED);
    store.failed(undefined);
    expect([store.refused, store.ready()]).toEqual([undefined, true]);
  });
});
