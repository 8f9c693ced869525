import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compiledServer } from '../../../test/fixtures/servers/server.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'addressspace-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('reports a limited address space in one line', () => {
  const script = 'ulimit -v 40000000 && exec "$@"';
  const server = [
    process.execPath,
    compiledServer(),
    `--data-dir=${join(folder, 'data')}`,
    '--secure-port=0',
  ];
  const keys = `--encryption-key-file=${join(folder, 'encryption.key')}`;
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', ...server, keys], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /^management-apiserver: [^\n]*the address space is limited to 38\.1 GiB, [^\n]*LimitAS=infinity\)\n$/,
    ),
  });
});
