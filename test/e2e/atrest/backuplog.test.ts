/** A server that logs the changes after its scheduled backups. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { prefixEnd } from '../../../pkg/storage/interface.js';
import { client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { runKilled } from '../../fixtures/servers/killedcommand.js';
import { execute } from '../../fixtures/program.js';
import { compiledServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PREFIX = 'registry/core/configmaps/default/w-';

let directory: string;
let backups: string;
let engine: EngineServer | undefined;
let server: ServerFixture;

const has = (pattern: RegExp): boolean => readdirSync(backups).some((name) => pattern.test(name));
const isLogging = (): Promise<unknown> =>
  eventually('a segment is written', async () => has(/\.log\.\d+\.partial$/));
const isComplete = (): Promise<unknown> =>
  eventually('it is complete', async () => has(/\.log\.\d+$/) && !has(/\.partial$/));

/** When the segments that are being written were begun. */
const drafts = (): number[] =>
  readdirSync(backups)
    .filter((name) => name.endsWith('.partial'))
    .map((name) => statSync(join(backups, name)).birthtimeMs);

async function create(name: string): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  expect((await client(server).send('POST', MAPS, object)).status).toBe(201);
}

/** The logging processes of the current server. */
const loggers = (): number[] =>
  [...server.log().matchAll(/"pid":(\d+),"msg":"changes are logged/g)].map(([, pid]) => Number(pid));

async function restored(...more: string[]): Promise<readonly string[]> {
  const to = mkdtempSync(join(directory, 'restored-'));
  const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
  const said = await runKilled(undefined, 'restore', backups, ...more, `--data-dir=${to}`, keys);
  expect(said).toMatch(/^0 restored /);
  const store = await openEmbedded({ directory: join(to, 'store') });
  const { records } = await store.scan({ start: PREFIX, end: prefixEnd(PREFIX) });
  await store.close();
  return records.map(({ key }) => key.slice(PREFIX.length));
}

describe('a server', () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'backuplog-'));
    backups = join(directory, 'backups');
    mkdirSync(backups);
    // If several servers use etcd, only the leader makes backups.
    engine = await startEmbedded({
      controllers: '*',
      flags: [`--backup-directory=${backups}`, '--backup-log'],
    });
    ({ server } = engine);
  });
  afterAll(async () => {
    await engine?.remove();
    engine = undefined;
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
  });

  test('its writes are in the log after any end of it, and are restored to a time', async () => {
    await isLogging();
    await create('w-one');
    // The logging process detects that the server is gone, and completes its segment.
    await server.kill();
    await isComplete();
    const between = new Date().toISOString();
    await server.restart();
    await isLogging();
    await create('w-two');
    await server.stop();
    await isComplete();
    expect(await restored(`--point-in-time=${between}`)).toEqual(['one']);
    expect(await restored()).toEqual(['one', 'two']);
  });

  test('a log that ended is begun again', async () => {
    await server.restart();
    const [pid] = await eventually('a process that logs', async () => loggers().length > 0 && loggers());
    await isLogging();
    process.kill(pid!, 'SIGKILL');
    const left = drafts();
    await eventually('another one', async () => loggers().length > 1);
    expect(server.log()).toContain('changes are not logged');
    const isOther = (): boolean => drafts().length > 0 && !drafts().some((one) => left.includes(one));
    await eventually('the draft that was left is replaced', () => Promise.resolve(isOther()));
  });

  test('a backup that is dated in the future gets no log, and is restored by its name only', async () => {
    const ahead = 'management-20990101T000000Z';
    const [made = ''] = readdirSync(backups).filter((name) => name.endsWith('.backup'));
    copyFileSync(join(backups, made), join(backups, `${ahead}.backup`));
    await server.stop();
    await server.restart();
    await isLogging();
    await create('w-three');
    await server.stop();
    await isComplete();
    expect(has(new RegExp(`^${ahead}\\.log`))).toBe(false);
    const to = `--data-dir=${join(directory, 'refused')}`;
    expect(await runKilled(undefined, 'restore', backups, to)).toMatch(
      new RegExp(`^1 [^\\n]*${ahead}\\.backup is dated in the future[^\\n]*\\n$`),
    );
    rmSync(join(backups, `${ahead}.backup`));
    expect(await restored()).toEqual(['one', 'three', 'two']);
  });
});

test('it does not start with a log that it could not read', () => {
  const recipient = '--backup-recipient=age1nonsense';
  const { code, err } = execute(
    process.execPath,
    [compiledServer(), '--data-dir=/nowhere', '--backup-directory=x', '--backup-log', recipient],
    { env: { HOME: '/nonexistent', NODE_OPTIONS: '' } },
  );
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^[^\n]*--backup-log and --backup-recipient are mutually exclusive[^\n]*\n$/),
  ]);
});
