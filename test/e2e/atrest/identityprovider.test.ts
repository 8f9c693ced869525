/**
 * An EncryptionConfiguration whose only provider is identity: secrets are decrypted, with a warning, and can be
 * encrypted again.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { client } from '../../fixtures/clients/client.js';
import { runKilled } from '../../fixtures/servers/killedcommand.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const RECORDS = 'registry/core/secrets/default/';
const PLANTED = Buffer.from('planted').toString('base64');
const IDENTITY = { identity: {} };
const AESGCM = { aesgcm: { keys: [{ name: 'box', secret: randomBytes(32).toString('base64') }] } };
const UNENCRYPTED = 'secrets are stored unencrypted: identity is their first provider';

let server: ServerFixture;
let file: string;
const configure = (...providers: object[]): void =>
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: ['*.*'], providers }],
    }),
    { mode: 0o600 },
  );
const command = (verb: string, ...flags: string[]): Promise<string> =>
  runKilled(
    undefined,
    'encryption',
    verb,
    `--data-dir=${join(server.directory, 'data')}`,
    `--encryption-key-file=${join(server.directory, 'encryption.key')}`,
    ...flags,
  );
const configured = (verb: string): Promise<string> => command(verb, `--encryption-provider-config=${file}`);

beforeAll(async () => {
  server = await startServer();
  file = join(server.directory, 'providers.json');
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { a: 'planted' } };
  expect((await client(server).send('POST', SECRETS, secret)).status).toBe(201);
  await server.stop();
});
afterAll(() => server?.remove());

/** Writes like an attacker who can write to the store, and has no keys. */
async function forge(name: string): Promise<void> {
  const value = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default' },
  });
  const engine = await openEmbedded({ directory: join(server.directory, 'data', 'store') });
  await engine.commit([{ key: RECORDS + name, value: Buffer.from(value), expect: 'absent' }]);
  await engine.close();
}

/** Starts a server, migrates the store to each of these configurations in turn, and stops the server. */
async function migrated(...each: object[][]): Promise<{ readonly said: string; readonly log: string }> {
  configure(...(each[0] ?? []));
  const other = await startServer({
    flags: [
      `--data-dir=${join(server.directory, 'data')}`,
      `--encryption-key-file=${join(server.directory, 'encryption.key')}`,
      `--encryption-provider-config=${file}`,
    ],
  });
  try {
    let said = '';
    for (const providers of each) {
      configure(...providers);
      said = await configured('migrate');
      expect((await client(other).send('GET', `${SECRETS}/a`)).text).toContain(PLANTED);
    }
    await eventually('it is logged', async () => /records were (de|en)crypted/.test(other.log()));
    await other.stop();
    return { said, log: other.log() };
  } finally {
    await other.remove();
  }
}

test('secrets are decrypted, which the log, migrate and status tell', async () => {
  const { said, log } = await migrated([IDENTITY]);
  expect(log).toContain(UNENCRYPTED);
  expect(log).toContain('records were decrypted');
  expect(log).not.toContain('records were encrypted');
  expect(said).toMatch(/^0 [^]*done: nothing is encrypted, as identity is the only provider\n/);
  expect(await configured('status')).toMatch(
    /^0 [^]*All is as it would be written now\.\nNot encrypted, as their first provider is identity:\n/,
  );
});

test('a server with keys encrypts them again', async () => {
  await server.restart();
  const encrypted = 'records were encrypted with the key of now';
  await eventually(encrypted, async () => server.log().includes(encrypted));
  expect((await client(server).send('GET', `${SECRETS}/a`)).text).toContain(PLANTED);
  expect(await command('migrate')).toMatch(/^0 [^]*done: all is encrypted with key/);
  await server.stop();
  expect(await command('status')).toMatch(/^0 [^]*All is encrypted as it would be written now\./);
  await forge('forged');
  await server.restart();
  // Unencrypted records are not accepted any more.
  expect((await client(server).send('GET', `${SECRETS}/forged`)).status).toBe(500);
  await server.stop();
  const engine = await openEmbedded({ directory: join(server.directory, 'data', 'store') });
  await engine.commit([{ key: `${RECORDS}forged`, value: undefined, expect: 'any' }]);
  await engine.close();
});

test('a server that gets another provider while it serves encrypts them again, too', async () => {
  const { said, log } = await migrated([IDENTITY], [AESGCM, IDENTITY]);
  expect(log).toContain(UNENCRYPTED);
  expect(said).toContain('done: all is encrypted with key box');
  expect(await configured('status')).toMatch(/^0 [^]*box +aesgcm +[1-9]\d* +encrypts\n/);
  expect(await configured('status')).not.toContain('Not encrypted');
});

test('as the first of several providers it is told, too', async () => {
  const { said, log } = await migrated([IDENTITY, AESGCM]);
  expect(log).toContain(UNENCRYPTED);
  expect(said).toMatch(
    /^0 [^]*done: all is written as .* says; encryption status lists what is not encrypted\n/,
  );
  expect(await configured('status')).toMatch(
    /^0 [^]*Not encrypted, as their first provider is identity:\n  registry\/core\/secrets\/\n/,
  );
});
