/** Runs docs/quickstart.md command by command, each in a new shell. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { platformCli, type PlatformCli } from '../../fixtures/clients/platformcli.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const PAGE = readFileSync(fileURLToPath(new URL('../../../docs/quickstart.md', import.meta.url)), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);

let server: ServerFixture;
let cli: PlatformCli;
beforeAll(async () => {
  server = await startServer({ controllers: '*' });
  cli = platformCli();
  const state = join(cli.home, '.local/state/management-apiserver');
  mkdirSync(state, { recursive: true });
  symlinkSync(server.kubeconfig, join(state, 'admin.kubeconfig'));
});
afterAll(async () => {
  cli.remove();
  await server.remove();
});

test('every command does what the page says', () => {
  expect(BLOCKS.length).toBeGreaterThan(4);
  const printed = BLOCKS.map((block) => {
    const done = spawnSync('bash', ['-euc', block], {
      cwd: cli.home,
      env: cli.installed(),
      encoding: 'utf8',
    });
    return { block, status: done.status, text: done.stdout + done.stderr };
  });
  expect(printed.filter(({ status }) => status !== 0)).toEqual([]);
  expect(printed.at(-1)?.text).toContain('s3cret');
  expect(printed.at(-1)?.text).toContain('6 signs');
  expect(printed.map(({ text }) => text).join('')).not.toContain('Warning');
});
