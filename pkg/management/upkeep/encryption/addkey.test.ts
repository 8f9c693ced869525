import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { formatKeyFile, MAX_KEYS, newDataKey, parseKeyFile } from '../../../storage/encryption/keyfile.js';
import { addKey, KeyIsBeingAdded } from './addkey.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'addkey-'));
  path = join(folder, 'encryption.key');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('puts a new key first', () => {
  const keys = [newDataKey(), newDataKey()];
  writeFileSync(path, formatKeyFile(keys));
  addKey(path);
  expect(parseKeyFile(readFileSync(path, 'utf8')).slice(1)).toEqual(keys);
});

test('refuses a key that servers would not accept, and leaves the file unchanged', () => {
  const text = formatKeyFile(Array.from({ length: MAX_KEYS - 1 }, newDataKey));
  writeFileSync(path, text);
  addKey(path);
  const full = readFileSync(path, 'utf8');
  expect(parseKeyFile(full)).toHaveLength(MAX_KEYS);
  expect(() => addKey(path)).toThrow(/no key was added: it has 100 keys, .*encryption status/);
  expect(readFileSync(path, 'utf8')).toBe(full);
  expect(readdirSync(folder)).toEqual(['encryption.key']);
});

test('changes the file that a link leads to, and leaves the link', () => {
  const keys = [newDataKey()];
  mkdirSync(join(folder, 'of'));
  const real = join(folder, 'of', 'keys');
  writeFileSync(real, formatKeyFile(keys));
  symlinkSync(real, path);
  // The draft of another command, for the target of the link.
  writeFileSync(`${real}.new`, '');
  expect(() => addKey(path)).toThrow(KeyIsBeingAdded);
  rmSync(`${real}.new`);
  addKey(path);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(parseKeyFile(readFileSync(real, 'utf8')).slice(1)).toEqual(keys);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['encryption.key', 'of', 'of/keys']);
});
