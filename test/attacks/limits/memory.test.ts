/** Neither a signal nor a crash writes the decrypted memory of a server to a file. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { holdsText } from '../../fixtures/stores/holdstext.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const PLANTED = `planted-${'q'.repeat(40)}`;

let server: ServerFixture;
let admin: Client;

async function started(nodeOptions = ''): Promise<void> {
  server = await startServer({ env: { NODE_OPTIONS: nodeOptions } });
  admin = client(server);
  for (const name of ['created', 'read', 'gone']) {
    const data = { password: Buffer.from(`${PLANTED}-${name}`).toString('base64') };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data };
    expect((await admin.send('POST', SECRETS, object)).status).toBe(201);
    expect((await admin.send('GET', `${SECRETS}/${name}`)).text).toContain(data.password);
  }
  expect((await admin.send('GET', SECRETS)).status).toBe(200);
  expect((await admin.send('DELETE', `${SECRETS}/gone`)).status).toBe(200);
}

describe('a server as it is started', () => {
  beforeAll(() => started());
  afterAll(() => server?.remove());

  test('opens no debugger for SIGUSR1', async () => {
    process.kill(server.pid() as number, 'SIGUSR1');
    await sleep(500);
    expect((await admin.send('GET', '/livez')).status).toBe(200);
    expect(server.log()).not.toMatch(/debugger/i);
  });

  const linux = process.platform === 'linux' ? test : test.skip;
  linux.each(['SIGUSR2', 'SIGQUIT', 'SIGABRT'] as const)(
    'leaves no heap snapshot and no core dump with what it has decrypted, ended by %s',
    async (signal) => {
      if (!server.isRunning()) await server.restart();
      expect((await admin.send('GET', `${SECRETS}/read`)).status).toBe(200);
      const pid = server.pid() as number;
      expect(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8')).toBe('00000000\n');
      // If the kernel writes core dumps into the working directory, an unprotected process leaves one.
      const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim();
      const unlimited = spawnSync('prlimit', [`--pid=${pid}`, '--core=unlimited']).status === 0;
      const known = new Set(readdirSync('.'));
      process.kill(pid, signal);
      await eventually('its end', () => Promise.resolve(!server.isRunning()));
      const left = readdirSync('.').filter((name) => !known.has(name) && statSync(name).isFile());
      try {
        if (pattern === 'core' && unlimited && signal !== 'SIGUSR2') expect(left).toHaveLength(1);
        expect(left.filter((name) => holdsText(readFileSync(name), PLANTED))).toEqual([]);
      } finally {
        for (const name of left.filter((one) => one.startsWith('core'))) rmSync(name);
      }
    },
    60_000,
  );
});

describe('a server whose Node was told to write heap snapshots', () => {
  beforeAll(() => started('--heapsnapshot-signal=SIGUSR2'));
  afterAll(() => server?.remove());

  test('says so', () => {
    expect(server.log()).toContain('options of Node let others read the memory of the server');
  });
});
