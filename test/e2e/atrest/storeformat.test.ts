/** The format of a store: a new one has it, and one of a newer release is refused. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FORMAT_KEY, STORE_FORMAT } from '../../../pkg/storage/storeformat.js';
import { ALL_KEYS } from '../../../pkg/storage/pages.js';
import { client } from '../../fixtures/clients/client.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { compiledServer } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const RAISED = 'the store has the format of this release';

describe.each(ENGINES)('%s', (name, start) => {
  /** What a format allows is decided above the engines: one is sufficient. */
  const testOfFormats = name === 'embedded' ? test : () => undefined;
  let engine: EngineServer;
  let newStore: { readonly format: unknown; readonly log: string };
  beforeAll(async () => {
    engine = await start();
    await engine.server.stop();
    newStore = { format: await formatOf(), log: engine.server.log() };
  });
  afterAll(() => engine?.remove());

  const formatOf = async (): Promise<unknown> => {
    const store = await engine.openStore();
    const { record } = await store.get(FORMAT_KEY);
    await store.close();
    return record && JSON.parse(record.value.toString());
  };
  async function putFormat(text: string): Promise<void> {
    const store = await engine.openStore();
    await store.commit([{ key: FORMAT_KEY, value: Buffer.from(text), expect: 'any' }]);
    await store.close();
  }

  test('a new store has this format from the start, and no older one is told of', () => {
    expect(newStore.format).toEqual({
      format: STORE_FORMAT,
      oldest: expect.any(Number),
      program: expect.any(String),
    });
    expect(newStore.log).toContain('"msg":"ready"');
    expect(newStore.log).not.toContain(RAISED);
  });

  test('a store without a format gets this one', async () => {
    const store = await engine.openStore();
    await store.commit([{ key: FORMAT_KEY, expect: 'any' }]);
    await store.close();
    await engine.server.restart();
    await eventually(RAISED, async () => engine.server.log().includes(RAISED));
    await engine.server.restart();
    await engine.server.stop();
    expect(engine.server.log()).not.toContain(RAISED);
    expect(await formatOf()).toEqual(newStore.format);
  });

  testOfFormats(
    'a store of a newer release is refused with what to do, and stays as it is',
    async () => {
      const content = async (): Promise<unknown> => {
        const store = await engine.openStore();
        const { records } = await store.scan(ALL_KEYS);
        await store.close();
        // Without the record of the test itself, which has the store open.
        return records.filter((record) => record.key !== 'encryption/servers');
      };
      for (const [text, told] of [
        [
          '{"format":99,"oldest":99,"program":"9.9.0"}',
          `the store has format 99 of release 9.9.0, and this release knows formats up to ${STORE_FORMAT}: start release 9.9.0 or a later one`,
        ],
        ['{"format":"99"}', 'does not understand: start the release that wrote it'],
      ] as const) {
        await putFormat(text);
        const before = await content();
        await expect(engine.server.restart()).rejects.toThrow(told);
        const place =
          engine.etcd === undefined
            ? `--data-dir=${join(engine.server.directory, 'data')}`
            : `--etcd-servers=${engine.etcd}`;
        const keys = `--encryption-key-file=${join(engine.server.directory, 'encryption.key')}`;
        for (const args of [
          ['encryption', 'status'],
          ['backup', 'create', join(engine.server.directory, 'no')],
        ]) {
          const { status, stderr } = spawnSync(process.execPath, [compiledServer(), ...args, place, keys], {
            encoding: 'utf8',
            env: { ...process.env, NODE_OPTIONS: '' },
          });
          expect([status, stderr.split('\n').length, stderr]).toEqual([1, 2, expect.stringContaining(told)]);
        }
        expect(await content()).toEqual(before);
      }
    },
    60_000,
  );

  testOfFormats(
    'a newer store that lets this release in is opened, and keeps its format',
    async () => {
      const newer = { format: 99, oldest: STORE_FORMAT, program: '9.9.0' };
      await putFormat(JSON.stringify(newer));
      await engine.server.restart();
      expect((await client(engine.server).send('GET', '/api/v1/secrets')).status).toBe(200);
      await engine.server.stop();
      expect(await formatOf()).toEqual(newer);
    },
    30_000,
  );
});
