/** SIGTERM stops a server gracefully, even directly after it reports that it serves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { compiledServer } from '../../fixtures/servers/server.js';

test.each(['1', '2'])('with %s workers', async (workers) => {
  const directory = mkdtempSync(join(tmpdir(), 'stopsignals-'));
  const flags = [
    '--secure-port=0',
    `--data-dir=${join(directory, 'data')}`,
    `--workers=${workers}`,
    `--encryption-key-file=${join(directory, 'encryption.key')}`,
  ];
  const child = spawn(process.execPath, [compiledServer(), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let logged = '';
  child.stderr.on('data', (text: Buffer) => (logged += text.toString()));
  child.stdout.once('data', () => {
    child.kill('SIGTERM');
    child.kill('SIGTERM');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, errors: logged.split('\n').filter((line) => line.includes('"error"')) }).toEqual({
    code: 0,
    errors: [],
  });
  rmSync(directory, { recursive: true });
});
