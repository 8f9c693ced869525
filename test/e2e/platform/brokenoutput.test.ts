/** A command exits silently when the reader of its output stops reading. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { compiledServer } from '../../fixtures/servers/server.js';

const SERVER = compiledServer();
const PLATFORM = join(dirname(SERVER), '..', 'platform', 'main.js');

test.each([
  [SERVER, '--help'],
  [SERVER, 'backup --help'],
  [PLATFORM, '--help'],
  [PLATFORM, 'help create secret'],
  [PLATFORM, 'completion bash'],
])('%s %s into a closed pipe prints no error', (program, words) => {
  const script = `{ "$0" "$1" ${words}; echo "status $?" >&2; } | { exec 0<&-; sleep 2; }`;
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stderr } = spawnSync('sh', ['-c', script, process.execPath, program], { encoding: 'utf8', env });
  expect(stderr).toBe('status 1\n');
});
