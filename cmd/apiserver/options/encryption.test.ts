import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { reencryptAll } from '../../../pkg/storage/encryption/reencryptall.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { openWithKeys, type EncryptionConfig } from '../../../pkg/management/upkeep/encryption/keys.js';
import { encryptionOf } from './encryption.js';

const SECRET = 'registry/core/secrets/team/one';
const VALUE = Buffer.from('{"planted":"value"}');
let directory: string;
let engine: Storage;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'encryption-'));
  engine = await openEmbedded({ directory: join(directory, 'store') });
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const keyFile = (): string => join(directory, 'encryption.key');
const options = (encryptionProviderConfig?: string): EncryptionConfig =>
  encryptionOf({ encryptionKeyFile: keyFile(), encryptionProviderConfig }, undefined, {});
const made = (): void => undefined;

function providers(text: string, mode = 0o600): string {
  const path = join(directory, 'providers.yaml');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const configuration = (byte: number): string => `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: ['*.*']
    providers:
      - aesgcm:
          keys:
            - name: key1
              secret: ${Buffer.alloc(32, byte).toString('base64')}
`;

test('makes no key for a store with records and without its state', async () => {
  await engine.commit([{ key: SECRET, value: VALUE, expect: 'absent' }]);
  await expect(openWithKeys(engine, options(), { made })).rejects.toThrow('nothing was changed');
  expect(existsSync(keyFile())).toBe(false);
});

describe('--encryption-provider-config', () => {
  test('replaces the key file, which is required until everything is re-encrypted', async () => {
    const before = await openWithKeys(engine, options(), { made });
    await before.begin();
    await before.storage.commit([{ key: SECRET, value: VALUE, expect: 'any' }]);
    const path = providers(configuration(1));
    const both = await openWithKeys(engine, options(path), { made });
    expect((await both.storage.get(SECRET)).record?.value).toEqual(VALUE);
    rmSync(keyFile());
    await expect(openWithKeys(engine, options(path), { made })).rejects.toThrow(
      `which is not in --encryption-provider-config ${path}: give the keys`,
    );
    await both.begin();
    expect(await reencryptAll(both)).toMatchObject({ written: 1, undecryptable: [], complete: true });
    expect((await engine.get(SECRET)).record?.value.toString('latin1')).toMatch(/^k8s:enc:aesgcm:v1:key1:/);
    const alone = await openWithKeys(engine, options(path), { made });
    expect((await alone.storage.get(SECRET)).record?.value).toEqual(VALUE);
    providers(configuration(2));
    await expect(openWithKeys(engine, options(path), { made })).rejects.toThrow('does not decrypt the store');
    await expect(openWithKeys(engine, options(), { made })).rejects.toThrow(
      'encrypted with key key1: put the file',
    );
  });

  test.each([
    ['resources: [', 0o600, /provider-config .*providers.yaml: /],
    [`${configuration(1)}  - {secret: plant\n  ed`, 0o600, /providers.yaml: /],
    [configuration(1).replace('aesgcm', 'aescbc'), 0o600, /aescbc is not supported/],
    [configuration(1), 0o640, /other users may read or write it \(mode 0640\)/],
  ])('%# is refused in one line without content of the file', (text, mode, message) => {
    const path = providers(text, mode);
    let said = '';
    try {
      options(path);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(message);
    expect(said).not.toMatch(/AQEB|plant|\n/);
  });

  test('is refused if the file does not exist', () => {
    expect(() => options(join(directory, 'none'))).toThrow(/none: no such file/);
  });
});
