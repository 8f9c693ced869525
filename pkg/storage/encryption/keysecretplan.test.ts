import { expect, test } from '@jest/globals';
import { dataKeyName } from './hkdfaesgcm.js';
import { formatKeyFile, newDataKey, parseKeyFile } from './keyfile.js';
import { keySecretPlan, notedKeys } from './keysecretplan.js';

const [old, current, other] = [newDataKey(), newDataKey(), newDataKey()];
const held = [current, old];
const USED = [dataKeyName(current)];

test.each([
  ['the keys of the file', formatKeyFile(held)],
  ['a key that was added before them', formatKeyFile([other, ...held])],
  ['no key any more that no record needs', formatKeyFile([current])],
])('a Secret that has %s stays', (_what, found) => {
  expect(keySecretPlan(found, held, USED)).toEqual({ needed: USED, write: undefined });
});

test.each([
  ['is gone', undefined, held],
  ['is empty', '', held],
  ['is damaged', 'no key', held],
  ['has another key alone', formatKeyFile([other]), [...held, other]],
  ['has the old key alone', formatKeyFile([old]), held],
])('a Secret that %s gets the keys of the file, and loses none', (_what, found, expected) => {
  const { write } = keySecretPlan(found, held, USED);
  expect(parseKeyFile(write ?? '')).toEqual(expected);
});

test.each([undefined, '', formatKeyFile([other])])('a Secret that no record needs stays: %j', (found) => {
  expect(keySecretPlan(found, held, ['kms:another'])).toEqual({ needed: [], write: undefined });
});

test.each<[string, string[], string[], string[], string[]]>([
  ['a server that started before the rotation', ['new', 'old'], ['old'], ['old', 'new'], ['old', 'new']],
  ['a server with the new key', ['old'], ['new', 'old'], ['old', 'new'], ['new', 'old']],
  ['the last one after the old key', ['new', 'old'], ['new'], ['new'], ['new']],
  ['one without the key that is left', ['new', 'old'], [], ['new'], ['new']],
  ['one whose store another plug-in encrypts now', ['old'], [], ['kms:another'], []],
])('%s notes what the store uses', (_who, noted, needed, used, expected) => {
  expect(notedKeys(noted, needed, used)).toEqual(expected);
});
