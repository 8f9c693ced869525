/**
 * A server of the next release, with a format that no earlier one knows, is killed around the moment at which it raises the format of the
 * store, by SIGKILL: the store has the one format or the other, and all that was in it. `KILLS` on each engine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  checkStoreFormat,
  FORMAT_KEY,
  OLDEST_FORMAT,
  STORE_FORMAT,
  type StoreFormat,
} from '../../pkg/storage/storeformat.js';
import { ALL_KEYS } from '../../pkg/storage/pages.js';
import { client } from '../fixtures/clients/client.js';
import { changedBuild } from '../fixtures/servers/changedbuild.js';
import { ENGINES, type EngineServer } from '../fixtures/servers/engines.js';
import { answered, runKilled } from '../fixtures/servers/killedcommand.js';
import { compiledServer } from '../fixtures/servers/server.js';
import { eventually } from '../fixtures/wait.js';

const KILLS = Number(process.env.KILLS ?? 4);
const NEXT = STORE_FORMAT + 1;
/** From when the server is ready until it has raised the format, about. */
const LONGEST_MS = Number(process.env.LONGEST_MS ?? 120);
const COUNT = 20;
const SECRETS = '/api/v1/namespaces/default/secrets';
const RAISED = 'the store has the format of this release';
const KNOWN = `the store has format ${NEXT} of release .*, and this release knows formats up to ${STORE_FORMAT}: start release`;
const RESULTS = fileURLToPath(new URL('../../.tools/results', import.meta.url));

const constants = (format: number, oldest: number): string =>
  [
    `export const STORE_FORMAT = ${format};`,
    '/** The oldest format whose programs may open stores of this one. */',
    `export const OLDEST_FORMAT = ${oldest};`,
  ].join('\n');

let folder: string;
let next: string;
beforeAll(() => {
  mkdirSync(RESULTS, { recursive: true });
  folder = mkdtempSync(join(RESULTS, 'formatraise-'));
  next = changedBuild(
    {
      name: 'the next format',
      file: 'pkg/storage/storeformat.ts',
      text: constants(STORE_FORMAT, OLDEST_FORMAT),
      replacement: constants(NEXT, NEXT),
    },
    folder,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(ENGINES)('on %s', (name, start) => {
  let engine: EngineServer;
  let before: readonly string[];
  beforeAll(async () => {
    engine = await start();
    const admin = client(engine.server);
    for (let at = 0; at < COUNT; at += 1) {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `s-${at}` } };
      const { status } = await admin.send('POST', SECRETS, { ...secret, stringData: { of: `${at}` } });
      expect(status).toBe(201);
    }
    before = await served();
    await engine.server.stop();
    expect(await formatBeforeNextRound()).toBe(STORE_FORMAT);
  });
  afterAll(() => engine?.remove());

  /** Names, uids, versions and values. */
  async function served(): Promise<readonly string[]> {
    const { status, headers, text } = await client(engine.server).send('GET', SECRETS);
    expect([status, headers.warning]).toEqual([200, undefined]);
    return (JSON.parse(text) as { items: object[] }).items.map((item) => JSON.stringify(item));
  }
  const flags = (): string[] => [
    engine.etcd === undefined
      ? `--data-dir=${join(engine.server.directory, 'data')}`
      : `--etcd-servers=${engine.etcd}`,
    `--encryption-key-file=${join(engine.server.directory, 'encryption.key')}`,
  ];

  async function killedAfterReady(delayMs: number): Promise<void> {
    const other = engine.etcd === undefined ? [] : [`--data-dir=${join(engine.server.directory, 'other')}`];
    const argv = [compiledServer(next), '--secure-port=0', ...flags(), ...other];
    const child = spawn(process.execPath, argv, { env: { ...process.env, NODE_OPTIONS: '' } });
    const closed = once(child, 'close');
    let said = '';
    child.stdout.resume();
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.stderr.on('data', (text: Buffer) => {
        said += text.toString();
        if (said.includes('"msg":"ready"')) resolve();
      });
    });
    await sleep(delayMs);
    child.kill('SIGKILL');
    await closed;
    expect([child.signalCode, said]).toEqual(['SIGKILL', expect.anything()]);
  }

  /** The format that the store has; the next one is taken back, so that it is raised again. */
  async function formatBeforeNextRound(): Promise<number> {
    const store = await answered(() => engine.openStore());
    try {
      const { record } = await store.get(FORMAT_KEY);
      const found = checkStoreFormat(record ?? { value: Buffer.from('') }, 'the store', Infinity);
      const { records } = await store.scan(ALL_KEYS);
      expect(records.filter(({ undecryptable }) => undecryptable !== undefined)).toEqual([]);
      const old: StoreFormat = { format: STORE_FORMAT, oldest: OLDEST_FORMAT, program: found.program };
      await store.commit([{ key: FORMAT_KEY, value: Buffer.from(JSON.stringify(old)), expect: 'present' }]);
      return found.format;
    } finally {
      await store.close();
    }
  }

  test(`a raise of the format that is killed ${KILLS} times is done or not`, async () => {
    let raised = 0;
    for (let round = 0; round < KILLS; round += 1) {
      await killedAfterReady(Math.random() * LONGEST_MS);
      const format = await formatBeforeNextRound();
      expect([STORE_FORMAT, NEXT]).toContain(format);
      if (format === NEXT) raised += 1;
    }
    if (process.env.KILLS !== undefined)
      console.log(`${name}: ${raised} of ${KILLS} were raised before the kill`);
    await engine.server.restart();
    expect(await served()).toEqual(before);
    await engine.server.stop();
  });

  test('after it the next release serves all, and this one refuses it in one line and changes nothing', async () => {
    await engine.server.restart(next);
    await eventually(RAISED, async () => engine.server.log().includes(RAISED));
    expect(await served()).toEqual(before);
    // Beside the server, and after it.
    const status = (): Promise<string> => runKilled(undefined, 'encryption', 'status', ...flags());
    const refusal = new RegExp(`^1 management-apiserver: [^\\n]*${KNOWN}[^\\n]*\\n$`);
    expect(await status()).toMatch(refusal);
    await engine.server.stop();
    expect(await status()).toMatch(refusal);
    await expect(engine.server.restart(process.env.DIST ?? join(RESULTS, '../../dist'))).rejects.toThrow(
      new RegExp(KNOWN),
    );
    await engine.server.restart(next);
    expect(await served()).toEqual(before);
  });
});
