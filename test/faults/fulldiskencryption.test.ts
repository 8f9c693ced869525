/**
 * The disk becomes full while a store is encrypted, by a command or by the running server: no record is lost, and the
 * encryption continues when there is space.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ALL_KEYS } from '../../pkg/storage/pages.js';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { client, type Client } from '../fixtures/clients/client.js';
import {
  runKilled,
  runningCommand,
  runToEnd,
  type RunningCommand,
} from '../fixtures/servers/killedcommand.js';
import { startServer, type ServerFixture } from '../fixtures/servers/server.js';
import { TEST_DATA_KEY } from '../fixtures/stores/encryptionkeys.js';
import {
  emptyDisk,
  fillDisk,
  MIB,
  SECRET_BYTES,
  secretsIn,
  withStore,
  writeSecrets,
} from '../fixtures/stores/fulldisk.js';
import { eventually } from '../fixtures/wait.js';
import { mountSmallDisk } from '../robustness/faults/disk.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const COUNT = 300;
/** The number of objects that are created through a server: more than a rotation finds room for in the pages of the file. */
const FEWER = 200;
/** Encryption writes more than twice as much. */
const LEFT_BYTES = 4 * MIB;
/** A part of each value: long enough that none of the random bytes of the encrypted ones are the same. */
const PLAIN = 'd'.repeat(16);

const disk = mountSmallDisk();
const place = 'directory' in disk ? disk.directory : '';
const dataDir = join(place, 'data');
let directory: string;
let keyFile: string;
const keys = (): readonly Buffer[] => parseKeyFile(readFileSync(keyFile, 'utf8'));
const contents = (): Promise<readonly string[]> =>
  withStore(dataDir, keys(), ({ storage }) => secretsIn(storage));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulldisk-'));
  keyFile = join(directory, 'encryption.key');
  writeFileSync(keyFile, formatKeyFile([TEST_DATA_KEY]), { mode: 0o600 });
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
  for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
});
afterAll(() => {
  if ('directory' in disk) disk.remove();
});

const suite = 'directory' in disk ? describe : describe.skip;
suite(`a disk that is full ${'hindrance' in disk ? `(${disk.hindrance})` : ''}`, () => {
  const migrate = (): Promise<string> =>
    runKilled(
      undefined,
      'encryption',
      'migrate',
      `--data-dir=${dataDir}`,
      `--encryption-key-file=${keyFile}`,
    );

  test.each([
    ['the re-encryption with a key that was put into the file', 'encrypted'],
    ['the encryption of a store that was not encrypted', 'plain'],
  ])('in the middle of %s is reported, and migrate goes on', async (_, how) => {
    await withStore(dataDir, how === 'encrypted' ? keys() : [], async (store) => {
      await store.begin();
      await writeSecrets(store.storage, 0, COUNT);
    });
    if (how === 'encrypted') writeFileSync(keyFile, formatKeyFile([newDataKey(), ...keys()]));
    const before = await contents();
    expect(before).toHaveLength(COUNT);
    fillDisk(place, LEFT_BYTES);
    const failed = await migrate();
    expect(failed).toMatch(/^1 [^]*checked, [1-9]\d* re-encrypted\n/);
    expect(failed.trim().split('\n').at(-1)).toMatch(/^management-apiserver: .*disk is full/);
    expect(failed).not.toContain('done');
    // The store can be read while the disk is full, and the command reports the same error again.
    expect(await contents()).toEqual(before);
    expect((await migrate()).trim().split('\n').at(-1)).toMatch(/disk is full/);
    emptyDisk(place);
    expect(await migrate()).toMatch(/^0 [^]*done: all is encrypted/);
    writeFileSync(keyFile, formatKeyFile(keys().slice(0, 1)));
    expect(await contents()).toEqual(before);
    const plain = await withStore(dataDir, keys(), async ({ engine }) =>
      (await engine.scan(ALL_KEYS)).records.filter(({ value }) => value.includes(PLAIN)),
    );
    expect(plain).toEqual([]);
  });

  describe('under a server that re-encrypts', () => {
    let server: ServerFixture;
    let admin: Client;
    const secret = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData: { of: name.padEnd(SECRET_BYTES, 'd') },
    });
    const create = async (name: string): Promise<number> =>
      (await admin.send('POST', SECRETS, secret(name))).status;
    const served = async (): Promise<readonly string[]> => {
      const { status, headers, text } = await admin.send('GET', SECRETS);
      expect([status, headers.warning]).toEqual([200, undefined]);
      const { items } = JSON.parse(text) as {
        items: { metadata: { name: string; uid: string }; data: { of: string } }[];
      };
      return items.map(({ metadata, data }) => `${metadata.name} ${metadata.uid} ${data.of}`);
    };
    const status = (): Promise<string> => run('status');
    const argumentsOf = (verb: string): string[] => [
      'encryption',
      verb,
      `--data-dir=${dataDir}`,
      `--encryption-key-file=${join(server.directory, 'encryption.key')}`,
    ];
    const run = (verb: string): Promise<string> => runToEnd(...argumentsOf(verb));
    const startCommand = (verb: string): RunningCommand => runningCommand(...argumentsOf(verb));

    beforeEach(async () => {
      server = await startServer({ flags: [`--data-dir=${dataDir}`] });
      admin = client(server);
    });
    afterEach(() => server?.remove());

    test('is logged; objects can be read and deleted, and the encryption continues', async () => {
      for (let at = 0; at < FEWER; at += 1) expect(await create(`s-${at}`)).toBe(201);
      const before = await served();
      fillDisk(place, 0);
      const rotation = run('rotate');
      await eventually('it is logged', async () =>
        /disk is full.*stored records cannot be re-encrypted/.test(server.log()),
      );
      expect(await served()).toEqual(before);
      expect(await status()).toMatch(/^0 [^]*[1-9]\d* records to be encrypted with the first key/);
      const refused = await admin.send('POST', SECRETS, secret('more'));
      expect([refused.status, refused.text]).toEqual([
        503,
        expect.stringContaining('disk of the store is full'),
      ]);
      expect((await admin.send('DELETE', `${SECRETS}/s-0`)).status).toBe(200);
      const left = before.filter((one) => !one.startsWith('s-0 '));
      expect(await served()).toEqual(left);
      emptyDisk(place);
      expect(await create('more')).toBe(201);
      await server.restart();
      expect(await rotation).toMatch(/^0 [^]*done: all is encrypted/);
      expect((await served()).filter((one) => !one.startsWith('more '))).toEqual(left);
      expect(await status()).toContain('All is encrypted as it would be written now.');
    });

    test('before the encryption starts is reported by the command, and the encryption continues by itself', async () => {
      for (let at = 0; at < FEWER; at += 1) expect(await create(`s-${at}`)).toBe(201);
      fillDisk(place, 0);
      // Uses up the free pages in the file of the store.
      for (let at = 0; (await create(`last-${at}`)) === 201; at += 1);
      const before = await served();
      const waits = startCommand('rotate');
      await eventually('the command says why it waits', async () =>
        /to be encrypted by the server, but the disk of .* is full: make room/.test(waits.said()),
      );
      // The time that a server may take to read the key.
      await sleep(25_000);
      expect(waits.said()).not.toContain('started with another file');
      emptyDisk(place);
      expect(await waits.ended).toMatch(/^0 [^]*done: all is encrypted/);
      expect(await served()).toEqual(before);
    });
  });
});
