import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fill } from './restore.js';

test('a damaged store is to be moved away, and then the restore run again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'damaged-'));
  writeFileSync(join(directory, 'data.mdb'), 'x'.repeat(20_000));
  const records = (async function* () {})();
  const config = { engine: 'embedded', directory } as const;
  await expect(fill(config, 1, records)).rejects.toThrow(
    new RegExp(`data\\.mdb is [^;]*: move ${directory} away, then run this again$`),
  );
  rmSync(directory, { recursive: true });
});
