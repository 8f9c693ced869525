import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { aesGcm } from './aesgcm.js';
import { headerIn, headerOf, isEncrypted, keyNameIn } from './envelope.js';
import { dataKeyName, expand, hkdfAesGcm } from './hkdfaesgcm.js';
import { formatKeyFile, newDataKey, parseKeyFile } from './keyfile.js';
import { dataKeyring } from './keyring.js';
import { secretBox } from './secretbox.js';
import { SecretRecords } from './selection.js';

const SECRETS = new SecretRecords(['registry/core/secrets/']);

const KEY = 'registry/core/secrets/team/login';
const VALUE = Buffer.from('{"kind":"Secret","data":{"password":"cGxhbnRlZA=="}}');

const TRANSFORMERS = [
  ['hkdf-aesgcm', () => hkdfAesGcm(Buffer.alloc(32, 5))],
  ...[16, 24, 32].map((bytes) => [`aesgcm of ${bytes} bytes`, () => aesGcm('key1', Buffer.alloc(bytes, 5))]),
  ['secretbox', () => secretBox('key1', Buffer.alloc(32, 5))],
] as [string, () => ReturnType<typeof hkdfAesGcm>][];

describe.each(TRANSFORMERS)('%s', (_name, make) => {
  test('decrypts to the original value, and encrypts differently each time', () => {
    const one = make();
    const [first, second] = [one.encrypt(VALUE, KEY), one.encrypt(VALUE, KEY)];
    expect(first.equals(second)).toBe(false);
    expect(isEncrypted(first)).toBe(true);
    expect(first.includes('planted')).toBe(false);
    expect(headerIn(first)).toBe(one.header.toString());
    expect(keyNameIn(first)).toBe(one.keyName);
    expect(make().decrypt(first, KEY)).toEqual(VALUE);
    expect(make().decrypt(one.encrypt(Buffer.alloc(0), KEY), KEY)).toEqual(Buffer.alloc(0));
    const large = Buffer.alloc(1_468_006, 'x');
    expect(make().decrypt(one.encrypt(large, KEY), KEY).equals(large)).toBe(true);
  });

  test('refuses a value stored under another key, encrypted with another key, or changed in any byte', () => {
    const one = make();
    const encrypted = one.encrypt(VALUE, KEY);
    expect(() => one.decrypt(encrypted, 'registry/core/secrets/team/other')).toThrow();
    expect(() =>
      one.decrypt(encrypted, 'registry/management.svc.example/sharedsecrets/team/login'),
    ).toThrow();
    for (let at = one.header.length; at < encrypted.length; at += 1) {
      const changed = Buffer.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => one.decrypt(changed, KEY)).toThrow();
    }
    for (let length = one.header.length; length < encrypted.length; length += 1)
      expect(() => one.decrypt(encrypted.subarray(0, length), KEY)).toThrow();
  });
});

describe('hkdf-aesgcm', () => {
  // RFC 5869, appendix A.1: the first block.
  test('derives as HKDF-Expand does', () => {
    const prk = Buffer.from('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5', 'hex');
    const info = Buffer.from('f0f1f2f3f4f5f6f7f8f9', 'hex');
    expect(expand(createSecretKey(prk), info).export().toString('hex')).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf',
    );
  });

  test('uses new random bytes for every write', () => {
    const one = hkdfAesGcm(newDataKey());
    const start = one.header.length;
    const seen = new Set<string>();
    for (let write = 0; write < 5_000; write += 1)
      seen.add(one.encrypt(VALUE, KEY).toString('latin1', start, start + 44));
    expect(seen.size).toBe(5_000);
  });
});

describe('headers', () => {
  test.each([
    ['k8s:enc:aesgcm:v1:key1:rest', 'k8s:enc:aesgcm:v1:key1:', 'key1'],
    ['k8s:enc:aesgcm:v1:key1', undefined, '<damaged>'],
    ['k8s:enc:', undefined, '<damaged>'],
    [`k8s:enc:aesgcm:v1:${'k'.repeat(600)}:`, undefined, '<damaged>'],
    ['k8s:enc:aesgcm:v1:a\nb:x', 'k8s:enc:aesgcm:v1:a\nb:', '<damaged>'],
  ])('%j', (text, header, name) => {
    expect(headerIn(Buffer.from(text))).toBe(header);
    expect(keyNameIn(Buffer.from(text))).toBe(name);
  });

  test('are not created for key names that could not be parsed', () => {
    for (const name of ['', 'a:b']) expect(() => headerOf('aesgcm', 'v1', name)).toThrow(RangeError);
  });

  test('are not found in other text', () => {
    for (const text of ['', '{', 'k8s:enc', '{"k8s:enc:":1}'])
      expect(isEncrypted(Buffer.from(text))).toBe(false);
  });
});

describe('a key file', () => {
  const keys = [newDataKey(), newDataKey()];

  test('is read as it was written', () => {
    expect(parseKeyFile(formatKeyFile(keys))).toEqual(keys);
    expect(parseKeyFile(`${keys[0]?.toString('base64') ?? ''}\r\n\n# one\n`)).toEqual(keys.slice(0, 1));
  });

  const text = formatKeyFile([Buffer.alloc(32, 9)]);
  test.each([
    ['', 'there is no key in it'],
    ['# nothing\n', 'there is no key in it'],
    [text.slice(0, -20), 'line 3 is no key'],
    [`${text}secret\n`, 'line 4 is no key'],
    [`${text}${Buffer.alloc(31, 3).toString('base64')}\n`, 'line 4 is no key'],
    [`${text}${'='.repeat(44)}\n`, 'line 4 is no key'],
    [text + text.split('\n')[2], 'line 4 has a key again'],
  ])('%j is refused', (given, message) => {
    expect(() => parseKeyFile(given)).toThrow(message);
    expect(() => parseKeyFile(given)).not.toThrow(/CQkJ|secret$/);
  });

  test('tells keys apart without revealing them', () => {
    const [one, other] = keys.map(dataKeyName);
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(one).not.toBe(other);
  });

  test('encrypts with its first key, decrypts with all, and leaves other records unencrypted', () => {
    const old = dataKeyring(keys.slice(0, 1), SECRETS);
    const both = dataKeyring([...keys].reverse(), SECRETS);
    const value = old.writer(KEY)?.encrypt(VALUE, KEY) ?? VALUE;
    expect(both.reader(headerIn(value) ?? '')?.decrypt(value, KEY)).toEqual(VALUE);
    expect(both.writer(KEY)?.keyName).toBe(dataKeyName(keys[1] as Buffer));
    expect(both.writer('registry/core/configmaps/team/map')).toBeUndefined();
    for (const key of [
      'identity/cluster',
      'identity/signingkeys',
      'private/adminkey/a',
      'registry/private/accesskeys/a',
    ])
      expect(both.writer(key)).toBeDefined();
  });
});
