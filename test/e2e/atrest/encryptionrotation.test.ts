/** Key rotation while servers run: on the embedded engine, and with several servers on one etcd. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dataKeyName } from '../../../pkg/storage/encryption/hkdfaesgcm.js';
import { formatKeyFile, newDataKey, parseKeyFile } from '../../../pkg/storage/encryption/keyfile.js';
import { openEtcd } from '../../../pkg/storage/etcd/open.js';
import { TEST_DATA_KEY } from '../../fixtures/stores/encryptionkeys.js';
import { etcdIsThere, startEtcd, type EtcdFixture } from '../../fixtures/stores/etcd.js';
import { compiledServer, fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const JSON_TYPE = { 'content-type': 'application/json' };
const OLD = dataKeyName(TEST_DATA_KEY);

const keyFileOf = (server: ServerFixture): string => join(server.directory, 'encryption.key');
const keysOf = (server: ServerFixture): readonly Buffer[] =>
  parseKeyFile(readFileSync(keyFileOf(server), 'utf8'));
const firstOf = (server: ServerFixture): string => dataKeyName(keysOf(server)[0] as Buffer);

interface Ran {
  readonly code: number | null;
  readonly said: string;
}

async function command(server: ServerFixture, verb: string, ...flags: string[]): Promise<Ran> {
  const place = [
    `--data-dir=${join(server.directory, 'data')}`,
    `--encryption-key-file=${keyFileOf(server)}`,
  ];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, [compiledServer(), 'encryption', verb, ...place, ...flags], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (said += text.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

async function create(server: ServerFixture, name: string): Promise<number> {
  const body = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { of: name },
  });
  return (await fetchFrom(`${server.url}${SECRETS}`, { method: 'POST', body, headers: JSON_TYPE })).status;
}

async function valueOf(server: ServerFixture, name: string): Promise<string> {
  const { text } = await fetchFrom(`${server.url}${SECRETS}/${name}`);
  const { data } = JSON.parse(text) as { data?: { of?: string } };
  return data?.of === undefined ? text : Buffer.from(data.of, 'base64').toString();
}

describe('a server of its own store', () => {
  let server: ServerFixture;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.remove());

  test('takes a new key while it serves, and the old one may go', async () => {
    for (const name of ['a', 'b']) expect(await create(server, name)).toBe(201);
    const { code, said } = await command(server, 'rotate');
    expect([code, said]).toEqual([0, expect.stringContaining('done: all is encrypted with key')]);
    const name = firstOf(server);
    expect(name).not.toBe(OLD);
    expect(await create(server, 'c')).toBe(201);
    const { said: status } = await command(server, 'status');
    expect(status).toMatch(new RegExp(`${name} +hkdf-aesgcm +\\d+ +encrypts`));
    expect(status).toMatch(new RegExp(`${OLD} +hkdf-aesgcm +0 +not needed, may go`));
    writeFileSync(keyFileOf(server), formatKeyFile(keysOf(server).slice(0, 1)));
    await server.restart();
    for (const one of ['a', 'b', 'c']) expect(await valueOf(server, one)).toBe(one);
  });

  test('keeps a key that records need when its line goes, and does not start without it', async () => {
    const [key] = keysOf(server) as [Buffer];
    writeFileSync(keyFileOf(server), formatKeyFile([newDataKey()]));
    const told = `the key ${dataKeyName(key)} is still needed`;
    await eventually(told, async () => server.log().includes(told));
    expect(await valueOf(server, 'a')).toBe('a');
    expect(await create(server, 'd')).toBe(201);
    await server.stop();
    await expect(server.restart()).rejects.toThrow(`encrypted with key ${dataKeyName(key)}, which is not in`);
    expect((await command(server, 'rotate')).said).toContain('this is not the file of its servers');
    writeFileSync(keyFileOf(server), formatKeyFile([key]));
    await server.restart();
    for (const one of ['a', 'b', 'c', 'd']) expect(await valueOf(server, one)).toBe(one);
  });
});

(etcdIsThere() ? describe : describe.skip)('two servers on one etcd', () => {
  let etcd: EtcdFixture;
  let servers: readonly [ServerFixture, ServerFixture];
  beforeAll(async () => {
    etcd = await startEtcd();
    const options = { etcdServers: etcd.endpoint };
    servers = [await startServer(options), await startServer(options)];
  });
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.remove()));
    await etcd?.stop();
  });

  async function rawOf(name: string): Promise<string> {
    const store = await openEtcd({ endpoints: [etcd.endpoint], prefix: '/management' });
    const { record } = await store.get(`registry/core/secrets/default/${name}`);
    await store.close();
    return record?.value.toString('latin1') ?? '';
  }

  test('write with a new key once both have it, and fail no request meanwhile', async () => {
    const [one, other] = servers;
    expect(await create(one, 'early')).toBe(201);
    const rotation = command(one, 'rotate', `--etcd-servers=${etcd.endpoint}`);
    const created: [string, number][] = [];
    let done = false;
    const load = (async () => {
      for (let at = 0; !done; at += 1) {
        const name = `load-${at}`;
        created.push([name, await create(servers[at % 2] as ServerFixture, name)]);
        await sleep(200);
      }
    })();
    await eventually('a new key', async () => firstOf(one) !== OLD);
    await sleep(6_000);
    // The other server cannot decrypt with the new key yet, so no server encrypts with it.
    expect(await create(one, 'between')).toBe(201);
    expect(await rawOf('between')).toContain(`:${OLD}:`);
    expect(await valueOf(other, 'between')).toBe('between');
    writeFileSync(keyFileOf(other), readFileSync(keyFileOf(one)));
    const { code, said } = await rotation;
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/waits for 1 of \d servers[^]*done: all is encrypted/),
    ]);
    done = true;
    await load;
    expect(created.filter(([, status]) => status !== 201)).toEqual([]);
    for (const name of ['early', 'between', created.at(-1)?.[0] ?? ''])
      expect(await rawOf(name)).toContain(`:${firstOf(one)}:`);
    for (const server of servers) {
      writeFileSync(keyFileOf(server), formatKeyFile(keysOf(server).slice(0, 1)));
      await server.restart();
      for (const [name] of [['early'], ['between'], ...created])
        expect(await valueOf(server, name)).toBe(name);
    }
  });
});
