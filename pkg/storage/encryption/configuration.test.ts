import { createDecipheriv } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { configuredKeyring } from './configuration.js';
import { hkdfAesGcm } from './hkdfaesgcm.js';
import { SecretRecords } from './selection.js';

const SECRETS = new SecretRecords([
  'registry/core/secrets/',
  'registry/management.svc.example/sharedsecrets/',
]);

const secret = (byte: number, bytes = 32): string => Buffer.alloc(bytes, byte).toString('base64');
const aesgcm = (...names: string[]) => ({
  aesgcm: { keys: names.map((name) => ({ name, secret: secret(name.charCodeAt(0)) })) },
});
const identity = { identity: {} };
const kms = (changed: object) => ({
  kms: { apiVersion: 'v2', name: 'one', endpoint: 'unix:///run/a', ...changed },
});
const config = (...resources: unknown[]) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources,
});
const rule = (resources: string[], ...providers: unknown[]) => ({ resources, providers });

const SECRET = 'registry/core/secrets/team/one';
const MAP = 'registry/core/configmaps/team/one';
const SHARED = 'registry/management.svc.example/sharedsecrets/team/one';
const SPACE = 'registry/management.svc.example/spaceinstances/team/one';
const PEPPER = 'identity/cluster';
const KEYS = 'registry/private/accesskeys/one';

describe('an EncryptionConfiguration', () => {
  test.each([
    [
      'secrets alone',
      [rule(['secrets'], aesgcm('a'), identity)],
      { [SECRET]: 'a', [MAP]: '', [SHARED]: 'a', [PEPPER]: 'a' },
    ],
    [
      'the first rule applies',
      [rule(['secrets'], aesgcm('a')), rule(['*.*'], aesgcm('b'))],
      { [SECRET]: 'a', [MAP]: 'b', [SPACE]: 'b', [PEPPER]: 'a' },
    ],
    [
      'a group',
      [rule(['*.management.svc.example'], aesgcm('a'))],
      { [SECRET]: 'a', [MAP]: '', [SPACE]: 'a' },
    ],
    ['the core group', [rule(['*.'], aesgcm('a'))], { [SECRET]: 'a', [MAP]: 'a', [SPACE]: '', [KEYS]: 'a' }],
    [
      'one kind with its group',
      [rule(['sharedsecrets.management.svc.example'], aesgcm('a', 'b'))],
      { [SHARED]: 'a', [SPACE]: '' },
    ],
    [
      'secretbox, and a plug-in without a key',
      [
        rule(['secrets'], { secretbox: { keys: [{ name: 'b', secret: secret(2) }] } }),
        rule(['*.*'], kms({})),
      ],
      { [SECRET]: 'b', [SHARED]: 'one-new', [PEPPER]: 'b' },
    ],
    ['identity first', [rule(['*.*'], identity, aesgcm('a'))], { [SECRET]: '', [SHARED]: '', [PEPPER]: 'a' }],
    ['identity alone', [rule(['secrets'], identity)], { [SECRET]: '', [SHARED]: '', [PEPPER]: '' }],
  ])('%s', (_what, rules, expected) => {
    const keyring = configuredKeyring(config(...rules), SECRETS);
    for (const [key, name] of Object.entries(expected))
      expect([key, keyring.writer(key)?.keyName ?? '']).toEqual([key, name]);
  });

  test('accepts unencrypted secrets only where identity is a provider, and other records always', () => {
    const keyring = configuredKeyring(
      config(rule(['secrets'], aesgcm('a'), identity), rule(['*.*'], aesgcm('b'))),
      SECRETS,
    );
    expect([SECRET, MAP, SHARED].map((key) => keyring.plaintext(key))).toEqual([true, true, false]);
  });

  test('reads with all keys, and with former ones', () => {
    const before = hkdfAesGcm(Buffer.alloc(32, 1));
    const keyring = configuredKeyring(config(rule(['secrets'], aesgcm('a', 'b'))), SECRETS, [before]);
    const headers = ['k8s:enc:aesgcm:v1:a:', 'k8s:enc:aesgcm:v1:b:', before.header.toString()];
    expect(headers.map((header) => keyring.reader(header) !== undefined)).toEqual([true, true, true]);
    expect(keyring.reader('k8s:enc:aesgcm:v1:c:')).toBeUndefined();
  });

  // `k8s.io/apiserver/pkg/storage/value/encrypt/aes/aes.go`: nonce, ciphertext, tag; the key of the record is authenticated.
  test('writes records of aesgcm as kube-apiserver does', () => {
    const value = configuredKeyring(config(rule(['secrets'], aesgcm('a'))), SECRETS)
      .writer(SECRET)
      ?.encrypt(Buffer.from('data'), SECRET);
    const body = (value as Buffer).subarray('k8s:enc:aesgcm:v1:a:'.length);
    const decipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 'a'), body.subarray(0, 12));
    decipher.setAAD(Buffer.from(SECRET)).setAuthTag(body.subarray(-16));
    expect(decipher.update(body.subarray(12, -16)).toString() + decipher.final('utf8')).toBe('data');
  });

  test.each([
    [undefined, 'the file: it must be an object'],
    [{ ...config(rule(['secrets'], identity)), kind: 'Other' }, 'it must be an EncryptionConfiguration'],
    [config(), 'resources: it must be a list that is not empty'],
    [config(rule([], identity)), 'resources[0].resources: it must be a list'],
    [config(rule(['secrets'])), 'resources[0].providers: it must be a list'],
    [config(rule(['*'], identity)), '"*" is no resource'],
    [config(rule(['pods/status'], identity)), 'is no resource'],
    [config(rule(['*.*', 'secrets'], identity)), '*.* stands alone'],
    [config(rule(['secrets'], {})), 'it must have one provider'],
    [config(rule(['secrets'], { ...identity, ...aesgcm('a') })), 'it must have one provider'],
    [config(rule(['secrets'], { aescbc: { keys: [] } })), 'aescbc is not supported'],
    [config(rule(['secrets'], { secretbox: { keys: [] } })), 'secretbox.keys: it must be a list'],
    [
      config(rule(['secrets'], { secretbox: { keys: [{ name: 'a', secret: secret(1, 16) }] } })),
      'keys[0].secret: a secret of secretbox has 32 bytes',
    ],
    [config(rule(['secrets'], kms({ apiVersion: 'v1' }))), 'kms.apiVersion: it must be v2, and is "v1"'],
    [config(rule(['secrets'], kms({ apiVersion: undefined }))), 'kms.apiVersion: it must be v2, and is "v1"'],
    [config(rule(['secrets'], kms({ name: 'a:b' }))), 'kms.name: it must be a text'],
    [
      config(rule(['secrets'], kms({ endpoint: 'tcp://1.2.3.4:5' }))),
      'kms.endpoint: it must be a Unix socket',
    ],
    [config(rule(['secrets'], kms({ timeout: '2h' }))), 'kms.timeout: it must be a duration'],
    [config(rule(['secrets'], kms({ timeout: 'soon' }))), 'kms.timeout: it must be a duration'],
    [config(rule(['secrets'], kms({ cachesize: 1 }))), 'kms: there is no member "cachesize"'],
    [
      config(rule(['secrets'], kms({})), rule(['*.*'], kms({ endpoint: 'unix:///run/b' }))),
      'another plug-in has the name one',
    ],
    [config(rule(['secrets'], { rot13: {} })), 'rot13 is no provider'],
    [config(rule(['secrets'], { aesgcm: { keys: [] } })), 'aesgcm.keys: it must be a list'],
    [config(rule(['secrets'], { aesgcm: { keys: [{ name: 'a:b', secret: secret(1) }] } })), 'keys[0].name'],
    [
      config(rule(['secrets'], { aesgcm: { keys: [{ name: 'a', secret: 'hidden!' }] } })),
      'keys[0].secret: it must be base64',
    ],
    [
      config(rule(['secrets'], { aesgcm: { keys: [{ name: 'a', secret: secret(1, 15) }] } })),
      'keys[0].secret: a secret of aesgcm has 16, 24 or 32 bytes',
    ],
    [
      config(rule(['secrets'], aesgcm('a'), { aesgcm: { keys: [{ name: 'a', secret: secret(1) }] } })),
      'another key has the name a',
    ],
    [config({ ...rule(['secrets'], identity), more: 1 }), 'resources[0]: there is no member "more"'],
  ])('%# is refused', (given, message) => {
    expect(() => configuredKeyring(given, SECRETS)).toThrow(message);
    expect(() => configuredKeyring(given, SECRETS)).not.toThrow('hidden');
  });
});
