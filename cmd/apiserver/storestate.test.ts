import { expect, test } from '@jest/globals';
import { needsNoWaiting, unknownStore } from './storestate.js';

test.each([
  ['a store that was not reached yet', {}, false],
  ['a store that is away for long', { awaited: true }, true],
  ['a store that takes long to load', { awaited: true, answers: true }, false],
  ['what is served', { served: true, answers: true }, true],
  ['what was loaded before its store went away', { served: true, awaited: true }, true],
])('%s: ready is %j', (_what, known, ready) =>
  expect(needsNoWaiting({ ...unknownStore(), ...known })).toBe(ready),
);
