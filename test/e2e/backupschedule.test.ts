/** A server that backs its store up by itself. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { execute } from '../fixtures/program.js';
import { compiledServer, startServer } from '../fixtures/server.js';
import { eventually } from '../fixtures/wait.js';

test('a server backs its store up when the newest backup is too old, and keeps the newest', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'scheduled-'));
  const flags = [`--backup-directory=${directory}`, '--backup-interval=10s', '--backup-retain=2'];
  const server = await startServer({ flags });
  try {
    const whole = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.backup'));
    await eventually(
      'three backups',
      async () => server.log().split('the store was backed up').length > 3,
      90_000,
    );
    expect(whole()).toHaveLength(2);
    const keys = `--encryption-key-file=${join(server.directory, 'encryption.key')}`;
    for (const name of whole()) {
      const file = join(directory, name);
      const { code, err } = execute(process.execPath, [compiledServer(), 'backup', 'verify', file, keys], {
        env: { NODE_OPTIONS: '' },
      });
      expect([code, err]).toEqual([0, '']);
    }
  } finally {
    await server.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}, 120_000);
