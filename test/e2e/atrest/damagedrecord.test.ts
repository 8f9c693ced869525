/** A flipped bit in a value of the embedded store: the errors that users, operators and backups get. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  ADMIN_TOKEN,
  compiledServer,
  fetchFrom,
  startServer,
  type Answer,
  type ServerFixture,
} from '../../fixtures/servers/server.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const KEY = 'registry/core/configmaps/default/map-b';
const IGNORE = 'ignoreStoreReadErrorWithClusterBreakingPotential=true';

let server: ServerFixture;
const send = (method: string, path: string, body?: object): Promise<Answer> =>
  fetchFrom(`${server.url}${path}`, {
    method,
    token: ADMIN_TOKEN,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
const configMap = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text: `planted in ${name}` },
});

const command = (...args: string[]): { readonly status: number | null; readonly text: string } => {
  const dataDir = `--data-dir=${join(server.directory, 'data')}`;
  const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiledServer(), ...args, dataDir, keys], {
    encoding: 'utf8',
  });
  return { status, text: stdout + stderr };
};

beforeAll(async () => {
  server = await startServer();
  for (const name of ['map-a', 'map-b', 'map-c'])
    expect((await send('POST', MAPS, configMap(name))).status).toBe(201);
  await server.kill();
  const file = join(server.directory, 'data', 'store', 'data.mdb');
  const bytes = readFileSync(file);
  // Unused pages of the file may contain it, too.
  for (let at = bytes.indexOf('planted in map-b'); at >= 0; at = bytes.indexOf('planted in map-b', at))
    bytes[at] = 'P'.charCodeAt(0);
  writeFileSync(file, bytes);
  await server.restart();
});
afterAll(() => server?.remove());

test('a damaged record is a 500 that names it and says what to do, and others are served', async () => {
  const found = await send('GET', `${MAPS}/map-b`);
  expect(found.status).toBe(500);
  expect(found.text).toContain(`the record \\"${KEY}\\" cannot be read: it is damaged`);
  expect(found.text).toContain('restore the store from a backup, or delete the object with');
  expect(found.text).not.toContain('lanted in');
  const list = await send('GET', MAPS);
  expect(list.text).toContain('planted in map-a');
  expect(list.text).not.toContain('lanted in map-b');
  expect(list.headers.warning).toContain('1 of the configmaps cannot be read and is left out');
  const watch = await send('GET', `${MAPS}?watch=1&timeoutSeconds=1`);
  expect([watch.status, watch.headers.warning]).toEqual([
    200,
    expect.stringContaining('left out') as unknown,
  ]);
  expect((await send('POST', MAPS, configMap('map-b'))).status).toBe(409);
  expect((await send('PUT', `${MAPS}/map-b`, configMap('map-b'))).status).toBe(500);
});

test('the status of encryption lists it, and a backup that would lack it is not made', () => {
  const status = command('encryption', 'status');
  expect(status).toEqual({
    status: 1,
    text: expect.stringContaining(`1 record cannot be read:\n  ${KEY} (damaged)`) as unknown,
  });
  const file = join(server.directory, 'store.backup');
  const backup = command('backup', 'create', file);
  expect(backup.status).toBe(1);
  expect(backup.text).toMatch(new RegExp(`^[^\\n]*the record at ${KEY} is damaged[^\\n]*\\n$`));
  expect(existsSync(file)).toBe(false);
  const copied = join(server.directory, 'copied');
  const copy = command('store', 'copy', `--to-data-dir=${copied}`);
  expect(copy.status).toBe(1);
  expect(copy.text).toContain(`the record at ${KEY} is damaged`);
  expect(existsSync(copied)).toBe(false);
});

test('it is deleted with an explicit option, though not in a dry run, and written again', async () => {
  expect((await send('DELETE', `${MAPS}/map-b`)).status).toBe(500);
  expect((await send('DELETE', `${MAPS}/map-b?${IGNORE}&dryRun=All`)).status).toBe(200);
  expect((await send('GET', `${MAPS}/map-b`)).status).toBe(500);
  expect((await send('DELETE', `${MAPS}/map-b?${IGNORE}`)).status).toBe(200);
  expect((await send('GET', MAPS)).headers.warning).toBeUndefined();
  expect((await send('POST', MAPS, configMap('map-b'))).status).toBe(201);
  expect(command('backup', 'create', join(server.directory, 'store.backup')).status).toBe(0);
});
