/** A command exits silently when the reader of its output stops reading. */
import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { compiledServer } from '../../fixtures/servers/server.js';

test.each([['--help'], ['backup --help']])('%s into a closed pipe prints no error', (words) => {
  const script = `{ "$0" "$1" ${words}; echo "status $?" >&2; } | { exec 0<&-; sleep 2; }`;
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stderr } = spawnSync('sh', ['-c', script, process.execPath, compiledServer()], {
    encoding: 'utf8',
    env,
  });
  expect(stderr).toBe('status 1\n');
});
