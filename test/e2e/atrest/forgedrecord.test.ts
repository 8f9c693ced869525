/** An unencrypted record that somebody wrote to an encrypted store: it is reported, and never counted as encrypted. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import type { Storage, Write } from '../../../pkg/storage/interface.js';
import { client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { runToEnd } from '../../fixtures/servers/killedcommand.js';

const KEY = 'registry/core/secrets/default/forged';
const PATH = '/api/v1/namespaces/default/secrets/forged';
const UNREADABLE = new RegExp(`^1 [^\\n]*1 record cannot be read[^\\n]*${KEY} among them[^\\n]*\\n$`);

let engine: EngineServer;
const command = (verb: string): Promise<string> => {
  const { server } = engine;
  const place = `--data-dir=${join(server.directory, 'data')}`;
  const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
  return runToEnd('encryption', verb, place, keys);
};
const rawStore = (): Promise<Storage> =>
  openEmbedded({ directory: join(engine.server.directory, 'data', 'store') });
/** Writes like an attacker who can write to the store, and has no keys. */
async function put(write: Write): Promise<void> {
  const store = await rawStore();
  await store.commit([write]).finally(() => store.close());
}

beforeAll(async () => {
  engine = await startEmbedded();
  await engine.server.stop();
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'forged', namespace: 'default' } };
  await put({ key: KEY, value: Buffer.from(JSON.stringify(object)), expect: 'absent' });
});
afterAll(() => engine?.remove());

test('migrate and status name it while no server runs', async () => {
  expect(await command('migrate')).toMatch(UNREADABLE);
  expect(await command('status')).toMatch(
    new RegExp(`^1 [^]*1 record cannot be read:\\n +${KEY} \\(not encrypted\\)\\n`),
  );
});

test('migrate names it beside a server, which does not serve it, and is done once it is deleted', async () => {
  await engine.server.restart();
  expect(await command('migrate')).toMatch(UNREADABLE);
  const admin = client(engine.server);
  expect(await admin.send('GET', PATH)).toMatchObject({ status: 500 });
  const ignoring = `${PATH}?ignoreStoreReadErrorWithClusterBreakingPotential=true`;
  expect(await admin.send('DELETE', ignoring)).toMatchObject({ status: 200 });
  expect(await command('migrate')).toMatch(/^0 [^]*done: all is encrypted with key \w+\n/);
  expect(await command('status')).toMatch(/^0 [^]*All is encrypted as it would be written now/);
});
