import { expect, test } from '@jest/globals';
import { dataKeyName } from '../../pkg/storage/encryption/hkdfaesgcm.js';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { decideOnKey } from './encryptionkey.js';
import type { Texts } from './keptsecret.js';

const [key, other] = [newDataKey(), newDataKey()];
const secretWith = (...keys: Buffer[]): Texts => ({ 'encryption.key': formatKeyFile(keys) });
const needed = [dataKeyName(key)];

test('an empty Secret gets a new key where there is no store yet', () => {
  const { write } = decideOnKey({}, [], false) as { write: Texts };
  expect(parseKeyFile(write['encryption.key'] ?? '')).toHaveLength(1);
});

test.each([
  ['the key of the store', secretWith(key), needed, false],
  ['it, behind a new one', secretWith(other, key), needed, false],
  ['any key, before there is a store', secretWith(other), [], false],
  ['another key, for a store that is adopted', secretWith(other), needed, true],
])('a Secret with %s is used', (_what, held, names, adopt) => {
  expect(decideOnKey(held, names, adopt)).toEqual({ use: held });
});

test.each([
  ['that is empty', {}, false],
  ['that is empty, for a store that is adopted', {}, true],
  ['with another key', secretWith(other), false],
  ['with what is no key', { 'encryption.key': 'x' }, false],
])('a Secret %s gets no key that would not open the store', (_what, held, adopt) => {
  expect(decideOnKey(held as Texts, needed, adopt)).toEqual({
    wait: expect.stringContaining(`lacks the key ${needed[0] ?? ''} of the store`),
  });
});

test('a restore makes no key, also where the cluster knows no store', () => {
  expect(decideOnKey({}, [], true)).toEqual({ wait: expect.stringContaining('lacks the keys of the store') });
});
