import {
  cpSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
  openSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openEmbedded } from './embedded.js';

const root = mkdtempSync(join(tmpdir(), 'integrity-'));
const whole = join(root, 'whole');
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  const storage = await openEmbedded({ directory: whole });
  for (let i = 0; i < 40; i++) {
    await storage.commit([{ key: `k/${i}`, value: Buffer.alloc(100_000, i), expect: 'absent' }]);
  }
  await storage.close();
});

function overwrite(file: string, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, 0);
  closeSync(descriptor);
}

test.each<[string, (file: string) => void, string]>([
  ['whose first pages are zero', (file) => overwrite(file, Buffer.alloc(8192)), 'is damaged'],
  ['that is something else', (file) => writeFileSync(file, 'hello'), 'is damaged'],
  ['cut in half', (file) => truncateSync(file, 2 * 1024 * 1024), 'is cut short: it has'],
  ['cut to its first pages', (file) => truncateSync(file, 8192), 'is cut short: it has'],
  ['that is empty', (file) => truncateSync(file, 0), 'is empty'],
  ['that is gone', (file) => rmSync(file), 'is missing'],
])('a file %s is refused', async (name, damage, fault) => {
  const directory = join(root, name);
  cpSync(whole, directory, { recursive: true, filter: (source) => !source.endsWith('.sock') });
  const file = join(directory, 'data.mdb');
  damage(file);
  await expect(openEmbedded({ directory })).rejects.toThrow(`${file} ${fault}`);
});

test('a copy of a whole store opens', async () => {
  const directory = join(root, 'copy');
  cpSync(whole, directory, { recursive: true, filter: (source) => !source.endsWith('.sock') });
  const storage = await openEmbedded({ directory });
  expect((await storage.get('k/7')).record?.value[0]).toBe(7);
  await storage.close();
});
