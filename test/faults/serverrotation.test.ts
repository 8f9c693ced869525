/**
 * Running servers are killed with SIGKILL at random moments of a key rotation; after each kill, all objects are
 * unchanged.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { dataKeyName } from '../../pkg/storage/encryption/hkdfaesgcm.js';
import { formatKeyFile, parseKeyFile } from '../../pkg/storage/encryption/keyfile.js';
import { TEST_DATA_KEY } from '../fixtures/stores/encryptionkeys.js';
import { ENGINES, type EngineServer } from '../fixtures/servers/engines.js';
import { runToEnd, startedAgain } from '../fixtures/servers/killedcommand.js';
import { compiledServer, fetchFrom } from '../fixtures/servers/server.js';

const KILLS = Number(process.env.KILLS ?? 2);
const LONGEST_MS = Number(process.env.LONGEST_MS ?? 4_000);
const SECRETS = '/api/v1/namespaces/default/secrets';
const COUNT = 40;
/** A file may contain 100 keys. */
const ENOUGH_KEYS = 60;

const keyFileOf = ({ server }: EngineServer): string => join(server.directory, 'encryption.key');

function rotate(engine: EngineServer): readonly string[] {
  const place =
    engine.etcd === undefined
      ? `--data-dir=${join(engine.server.directory, 'data')}`
      : `--etcd-servers=${engine.etcd}`;
  return ['encryption', 'rotate', place, `--encryption-key-file=${keyFileOf(engine)}`];
}

const begun = (engine: EngineServer) =>
  spawn(process.execPath, [compiledServer(), ...rotate(engine)], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });

const keysOf = (engine: EngineServer): readonly Buffer[] =>
  parseKeyFile(readFileSync(keyFileOf(engine), 'utf8'));

/** What an operator does from time to time: each rotation that was killed has left a key. */
async function dropOldKeys(engine: EngineServer): Promise<void> {
  expect(await runToEnd(...rotate(engine))).toMatch(/^0 [^]*done: all is encrypted/);
  await engine.server.kill();
  writeFileSync(keyFileOf(engine), formatKeyFile(keysOf(engine).slice(0, 1)));
  await startedAgain(engine.server);
}

/** The names and values of all objects. */
async function contents({ server }: EngineServer): Promise<readonly string[]> {
  const { status, text, headers } = await fetchFrom(`${server.url}${SECRETS}`);
  expect([status, headers.warning]).toEqual([200, undefined]);
  const { items } = JSON.parse(text) as {
    items: { metadata: { name: string; uid: string }; data: { of: string } }[];
  };
  return items.map(({ metadata, data }) => `${metadata.name} ${metadata.uid} ${data.of}`);
}

// On etcd the other servers wait a minute for a server that was killed, so these tests run only on request.
const CHOSEN = ENGINES.filter(([name]) => name === 'embedded' || process.env.KILLS !== undefined);

describe.each(CHOSEN)('a server on %s', (name, start) => {
  test(`loses nothing when it is killed ${KILLS} times in a rotation`, async () => {
    const engine = await start();
    let killed = 0;
    try {
      for (let at = 0; at < COUNT; at += 1) {
        const object = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: `s-${at}` },
          stringData: { of: `v-${at}` },
        };
        const { status } = await fetchFrom(`${engine.server.url}${SECRETS}`, {
          method: 'POST',
          body: JSON.stringify(object),
          headers: { 'content-type': 'application/json' },
        });
        expect(status).toBe(201);
      }
      const before = await contents(engine);
      expect(before).toHaveLength(COUNT);
      for (; killed < KILLS; killed += 1) {
        const rotation = begun(engine);
        const ended = once(rotation, 'close');
        await sleep(Math.random() * LONGEST_MS);
        await engine.server.kill();
        rotation.kill('SIGKILL');
        await ended;
        await startedAgain(engine.server);
        expect(await contents(engine)).toEqual(before);
        if (keysOf(engine).length > ENOUGH_KEYS) await dropOldKeys(engine);
      }
      expect(await runToEnd(...rotate(engine))).toMatch(/^0 [^]*done: all is encrypted/);
      const [first] = keysOf(engine) as [Buffer];
      expect(dataKeyName(first)).not.toBe(dataKeyName(TEST_DATA_KEY));
      await engine.server.kill();
      writeFileSync(keyFileOf(engine), formatKeyFile([first]));
      await startedAgain(engine.server);
      expect(await contents(engine)).toEqual(before);
    } finally {
      if (process.env.KILLS !== undefined)
        console.log(`${name}: ${killed} kills, all objects there after each`);
      await engine.remove();
    }
  });
});
