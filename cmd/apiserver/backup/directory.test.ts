import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isDirectory, nameAt, newestIn, removeOld } from './directory.js';

const LEFT = 'management-20260103T030000Z.backup.partial';

test('the newest backups of a directory stay, and nothing else goes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'backups-'));
  const times = [5, 1, 3, 2, 4].map((day) => new Date(`2026-01-0${day}T03:00:00Z`));
  for (const name of [...times.map(nameAt), 'mine.backup', 'management-x.backup', LEFT])
    writeFileSync(join(directory, name), '');
  expect(await newestIn(directory)).toBe(Date.parse('2026-01-05T03:00:00Z'));
  expect(await removeOld(directory, 2)).toBe(4);
  expect(readdirSync(directory).sort()).toEqual([
    'management-20260104T030000Z.backup',
    'management-20260105T030000Z.backup',
    'management-x.backup',
    'mine.backup',
  ]);
  expect(await removeOld(directory, 2)).toBe(0);
  expect([await isDirectory(directory), await isDirectory('/none/'), await isDirectory('/none')]).toEqual([
    true,
    true,
    false,
  ]);
  rmSync(directory, { recursive: true });
  expect(await newestIn(directory)).toBeUndefined();
});
